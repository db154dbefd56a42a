const EMPTY: Buffer = Buffer.alloc(0);

/** The bytes of an incomplete request. */
export class UnreadBytes {
  #bytes: Buffer = EMPTY;
  length = 0;

  /** Capacity grows with the bytes received, not with the announced length. */
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

  /** Returns all bytes, which belong to the caller from here on. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length);
    this.#bytes = EMPTY;
    this.length = 0;
    return bytes;
  }
}
