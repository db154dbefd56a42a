import type { HttpRequest } from './http-request.ts';
import { BODY_BYTES_MAX } from './read-body.ts';

/** A head of the strict form. The body begins at `end`. */
interface StrictHead {
  readonly request: Pick<HttpRequest, 'method' | 'url' | 'headers'>;
  readonly contentLength: number;
  /** Where the digits of the length start. */
  readonly lengthStart: number;
  readonly lengthEnd: number;
  readonly end: number;
}

export const HEAD_BYTES_MAX = 4_096;

/** Read of every head. A name that is read may occur only once. */
const READ: ReadonlySet<string> = new Set(['content-length', 'host']);
/** Headers that decide how a request is framed, or what happens to its connection. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-encoding',
  'expect',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const REQUEST_LINE = /POST (\/[\w\-.:~][\w\-.:~/]*) HTTP\/1\.1\r\n/y;
// The value runs to the end of its line, including blanks around it. Each character has one way to match, so there is
// no backtracking.
const FIELD = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e]*)\r\n/y;
// Readers disagree about blanks around a length and about a list with one element.
const LENGTH = /^ ?(?:0|[1-9]\d{0,6})$/;
const KEEP_ALIVE = /^ ?keep-alive$/i;

interface HeadPlace {
  readonly start: number;
  /** After the empty line. */
  readonly end: number;
  /** The headers whose values are wanted, in lower case. */
  readonly names: ReadonlySet<string>;
}

/**
 * The head at `start`, if it has the one form that every reader of HTTP/1.1 reads alike: a POST to a path of plain
 * characters, names and values of visible ASCII, one Host, one Content-Length and no other framing (RFC 9112).
 * Undefined for everything else.
 */
export function readStrictHead(bytes: Buffer, { start, end, names }: HeadPlace): StrictHead | undefined {
  const text = bytes.toString('latin1', start, end);
  REQUEST_LINE.lastIndex = 0;
  const line = REQUEST_LINE.exec(text);
  if (line === null) return undefined;
  const headers: Record<string, string> = {};
  let lengthStart = -1;
  FIELD.lastIndex = REQUEST_LINE.lastIndex;
  for (;;) {
    const at = FIELD.lastIndex;
    if (at === text.length - 2) break;
    const field = FIELD.exec(text);
    if (field === null) return undefined;
    const name = field[1]!.toLowerCase();
    if (
      FRAMING.has(name) ||
      (name === 'connection' && !KEEP_ALIVE.test(field[2]!)) ||
      (name === 'content-length' && !LENGTH.test(field[2]!))
    )
      return undefined;
    if (!names.has(name) && !READ.has(name)) continue;
    if (headers[name] !== undefined) return undefined;
    headers[name] = field[2]!.trim();
    if (name === 'content-length') lengthStart = start + FIELD.lastIndex - 2 - headers[name].length;
  }
  const { host, 'content-length': length, ...read } = headers;
  if (host === undefined || length === undefined || Number(length) > BODY_BYTES_MAX) return undefined;
  return {
    request: { method: 'POST', url: line[1], headers: read },
    contentLength: Number(length),
    lengthStart,
    lengthEnd: lengthStart + length.length,
    end,
  };
}

interface FoundHead {
  readonly bytes: Buffer;
  readonly start: number;
  readonly head: StrictHead;
  readonly socket: HttpRequest['socket'];
}

/**
 * The last head of a connection. Clients usually repeat it with every request, and only the length of the body changes:
 * if all other bytes are equal, so is their meaning.
 */
export class KnownHead {
  readonly request: HttpRequest;
  /** Of the head that was found last. */
  contentLength = 0;
  end = 0;
  readonly #bytes: Buffer;
  /** How many bytes stand before the digits of the length, and where the bytes after them begin. */
  readonly #before: number;
  readonly #behind: number;

  constructor({ bytes, start, head, socket }: FoundHead) {
    const { request, contentLength, lengthStart, lengthEnd, end } = head;
    this.request = { method: request.method, url: request.url, headers: request.headers, socket };
    this.contentLength = contentLength;
    this.end = end;
    // A copy, because the buffer that was read is larger than a head.
    this.#bytes = Buffer.from(bytes.subarray(start, end));
    this.#before = lengthStart - start;
    this.#behind = lengthEnd - start;
  }

  /** Whether the same head stands at `start`, complete. */
  standsAt(bytes: Buffer, start: number): boolean {
    const lengthStart = start + this.#before;
    const first = bytes[lengthStart];
    if (first === undefined || first < 0x31 || first > 0x39) return false;
    let at = lengthStart;
    let length = 0;
    for (; at < lengthStart + 7; at += 1) {
      const digit = bytes[at]! - 0x30;
      if (!(digit >= 0 && digit <= 9)) break;
      length = length * 10 + digit;
    }
    const end = at + this.#bytes.length - this.#behind;
    if (length > BODY_BYTES_MAX || end > bytes.length) return false;
    if (
      this.#bytes.compare(bytes, start, lengthStart, 0, this.#before) !== 0 ||
      this.#bytes.compare(bytes, at, end, this.#behind) !== 0
    )
      return false;
    this.contentLength = length;
    this.end = end;
    return true;
  }
}
