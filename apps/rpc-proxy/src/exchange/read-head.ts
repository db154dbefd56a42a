import type { ReplyHead } from './receiver.ts';

/**
 * What a client sees of a node's headers, from undici's list of names and values. Bytes are compared as bytes: making
 * text of each name and value costs as much as everything else that is done for a small reply.
 */
export function readHead(status: number, raw: readonly Buffer[]): ReplyHead {
  let contentType = JSON_TYPE;
  let contentEncoding: string | undefined;
  let retryAfter: string | undefined;
  let contentLength = -1;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!;
    const value = raw[at + 1]!;
    switch (name.length) {
      case 11:
        if (isNamed(name, 'retry-after')) retryAfter = textOf(value);
        break;
      case 12:
        if (isNamed(name, 'content-type') && !isText(value, JSON_TYPE)) contentType = textOf(value);
        break;
      case 14:
        if (isNamed(name, 'content-length')) contentLength = readLength(value);
        break;
      case 16:
        if (isNamed(name, 'content-encoding')) contentEncoding = textOf(value);
        break;
      default:
        break;
    }
  }
  return { status, contentType, contentEncoding, retryAfter, contentLength };
}

const JSON_TYPE = 'application/json';

/** Whether the bytes are that name in either case; `name` is in lower case and as long. */
function isNamed(bytes: Buffer, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) if ((bytes[at]! | 0x20) !== name.charCodeAt(at)) return false;
  return true;
}

function isText(bytes: Buffer, text: string): boolean {
  if (bytes.length !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) if (bytes[at] !== text.charCodeAt(at)) return false;
  return true;
}

function readLength(bytes: Buffer): number {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return Number(textOf(bytes));
    length = length * 10 + digit;
  }
  return length;
}

function textOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, bytes.length);
}
