import { BODY_BYTES_MAX } from './read-body.ts';
import type { HttpRequest } from './http-request.ts';
import type { StrictHead } from './read-strict-head.ts';

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

  constructor(
    bytes: Buffer,
    start: number,
    { request, contentLength, lengthStart, lengthEnd, end }: StrictHead,
    socket: HttpRequest['socket'],
  ) {
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
