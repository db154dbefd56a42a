import { STATUS_CODES } from 'node:http';

let second = 0;
let date = '';

/**
 * The head of an answer as node:http writes it, including the empty line: the given headers, then those of the
 * connection.
 * @param headers name, value, name, value
 */
export function writeReplyHead(
  status: number,
  headers: readonly string[],
  keepAliveMs: number,
  { isLast, isChunked }: { readonly isLast: boolean; readonly isChunked: boolean },
): string {
  let head =
    status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  head += dateLine();
  head += isLast
    ? 'Connection: close\r\n'
    : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n`;
  return isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
}

function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    date = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return date;
}
