const EMPTY: Buffer = Buffer.alloc(0);

/** What a connection brought of a request that is not whole. */
export class UnreadBytes {
  #bytes: Buffer = EMPTY;
  length = 0;

  /** Room grows with what came, not with what was announced. */
  add(bytes: Buffer): void {
    const length = this.length + bytes.length;
    if (this.#bytes.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1_024, this.length === 0 ? length : length * 2));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.length);
    this.length = length;
  }

  /** All of it, the taker's from here on. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length);
    this.#bytes = EMPTY;
    this.length = 0;
    return bytes;
  }
}
