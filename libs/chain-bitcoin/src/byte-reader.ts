// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';

/** Reads the wire format from a node's bytes. @throws IncompleteBlockError wherever they end too early */
export class ByteReader {
  readonly bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }

  /** Moves on by `count`; returns the position before. */
  skip(count: number): number {
    const from = this.#at;
    if (count > this.left)
      throw new IncompleteBlockError(`expected ${count} bytes at ${from}, got ${this.left}`);
    this.#at = from + count;
    return from;
  }

  readUint32(): number {
    return this.bytes.readUInt32LE(this.skip(4));
  }

  readUint64(): bigint {
    return this.bytes.readBigUInt64LE(this.skip(8));
  }

  /** CompactSize: one byte, or a marker and 2, 4 or 8 bytes. */
  readCompactSize(): number {
    const first = this.bytes[this.skip(1)] as number;
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.bytes.readUInt16LE(this.skip(2));
    if (first === 0xfe) return this.readUint32();
    const size = this.readUint64();
    // No block is that large: the length is wrong, and a number would lose digits.
    if (size > 0xffff_ffffn)
      throw new IncompleteBlockError(`expected a length at ${this.#at - 8}, got ${size.toString()}`);
    return Number(size);
  }

  /** The length of a list whose items take at least `bytesMin` each: no list is longer than what is left. */
  readCount(bytesMin: number): number {
    const count = this.readCompactSize();
    if (count * bytesMin > this.left)
      throw new IncompleteBlockError(`expected ${count} items at ${this.#at}, got ${this.left} bytes`);
    return count;
  }
}
