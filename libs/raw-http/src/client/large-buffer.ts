/** A larger buffer saves calls to the kernel; beyond this size there is no further gain. */
export const LARGE_BUFFER_BYTES = 262_144;
const KEPT_MAX = 16;

const kept: Buffer[] = [];

/**
 * The buffer of one large reply: it is filled piece by piece, and pieces are lent from it without a copy. Buffers are
 * reused, because fresh memory costs as much as the copy that it saves.
 */
export class LargeBuffer {
  readonly #bytes = kept.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER_BYTES);
  #filled = 0;
  /** Where to read the next bytes to; undefined while there is no room. */
  rest: Buffer | undefined = this.#bytes;

  /**
   * @returns the bytes in this buffer, read into `rest` or copied from elsewhere; if there is no room, a separate copy
   */
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

  /** The lent pieces are no longer needed. */
  empty(): void {
    this.#filled = 0;
    this.rest = this.#bytes;
  }

  /** The same, and the buffer itself is no longer needed. */
  giveBack(): void {
    if (kept.length < KEPT_MAX) kept.push(this.#bytes);
  }
}
