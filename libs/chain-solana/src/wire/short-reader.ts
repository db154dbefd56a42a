// SPDX-License-Identifier: Apache-2.0
/** Reads bytes in order. The compact lengths of legacy and version 0 have 7 bits a byte and at most three bytes. */
export class ShortReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    this.skip(1);
    return this.#bytes[this.at - 1]!;
  }

  length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return length;
      if (shift === 14) throw new RangeError('expected a length of at most three bytes');
    }
  }

  take(count: number): Uint8Array {
    const from = this.at;
    return this.#bytes.subarray(from, this.skip(count));
  }

  /** @returns the new position @throws RangeError when the bytes end before it */
  skip(count: number): number {
    this.at += count;
    if (this.at > this.#bytes.length)
      throw new RangeError(`expected ${this.at} bytes or more, got ${this.#bytes.length}`);
    return this.at;
  }
}
