/** Fewer calls of the kernel for the same bytes; more than that brings nothing. */
export const LARGE_BUFFER_BYTES = 262_144;
const KEPT_MAX = 16;

const kept: Buffer[] = [];

/**
 * Where one large reply is read to, piece by piece, and lent from without a copy. Fresh memory costs as much as the copy
 * that it saves, so it is used again.
 */
export class LargeBuffer {
  readonly #bytes = kept.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER_BYTES);
  #filled = 0;
  /** Where the next bytes may be read to; undefined while there is no room. */
  rest: Buffer | undefined = this.#bytes;

  /** @returns the bytes as they lie here: read into `rest`, or copied from elsewhere; a copy of their own where there is no room */
  add(bytes: Buffer, start: number, end: number): Buffer {
    const from = this.#filled;
    if (bytes !== this.rest) {
      if (from + end - start > this.#bytes.length) return Buffer.from(bytes.subarray(start, end));
      bytes.copy(this.#bytes, from, start, end);
    }
    this.#filled = from + end - start;
    this.rest = this.#filled < this.#bytes.length ? this.#bytes.subarray(this.#filled) : undefined;
    return this.#bytes.subarray(from, this.#filled);
  }

  /** What was lent is not needed any more. */
  empty(): void {
    this.#filled = 0;
    this.rest = this.#bytes;
  }

  /** The same, and the buffer is not used any more. */
  giveBack(): void {
    if (kept.length < KEPT_MAX) kept.push(this.#bytes);
  }
}
