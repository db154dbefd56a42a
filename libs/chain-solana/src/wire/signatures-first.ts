// SPDX-License-Identifier: Apache-2.0
import { unknownVersion } from './unknown-transaction-error.ts';
import {
  KEY_BYTES,
  SIGNATURE_BYTES,
  VERSION_FLAG,
  WireTransaction,
  type WireInstruction,
} from './wire-transaction.ts';

/**
 * Legacy and version 0: signatures, then the message
 * (https://solana.com/docs/core/transactions#transaction-structure).
 */
export class SignaturesFirst extends WireTransaction {
  readonly bytes: Buffer;
  readonly version: 'legacy' | 0;
  readonly signatureCount: number;
  readonly keyCount: number;
  protected readonly signaturesAt: number;
  protected readonly keysAt: number;
  readonly #messageAt: number;
  readonly #instructionsAt: number;

  /**
   * @throws RangeError when the bytes end early or contradict each other, UnknownTransactionError for a message of
   *   a later version
   */
  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
    const reader = new ShortReader(bytes, 0);
    this.signatureCount = reader.length();
    this.signaturesAt = reader.at;
    this.#messageAt = reader.skip(this.signatureCount * SIGNATURE_BYTES);
    this.version = readVersion(bytes[this.#messageAt] ?? 0);
    if (this.version === 0) reader.skip(1);
    if (reader.byte() !== this.signatureCount)
      throw new RangeError(`expected ${this.signatureCount} signers, got ${bytes[reader.at - 1]}`);
    reader.skip(2);
    this.keyCount = reader.length();
    this.keysAt = reader.at;
    reader.skip(this.keyCount * KEY_BYTES + KEY_BYTES);
    this.#instructionsAt = reader.at;
  }

  get config(): undefined {
    return undefined;
  }

  get message(): Uint8Array {
    return this.bytes.subarray(this.#messageAt);
  }

  get instructionCount(): number {
    return new ShortReader(this.bytes, this.#instructionsAt).length();
  }

  get firstProgramIndex(): number | undefined {
    const reader = new ShortReader(this.bytes, this.#instructionsAt);
    return reader.length() === 0 ? undefined : reader.byte();
  }

  *instructions(): Generator<WireInstruction> {
    const reader = new ShortReader(this.bytes, this.#instructionsAt);
    for (let left = reader.length(); left > 0; left -= 1) {
      const programIndex = reader.byte();
      const accounts = reader.take(reader.length());
      yield { programIndex, accounts, data: reader.take(reader.length()) };
    }
  }
}

function readVersion(first: number): 'legacy' | 0 {
  if (first < VERSION_FLAG) return 'legacy';
  if (first === VERSION_FLAG) return 0;
  const version = first & ~VERSION_FLAG;
  // A message of version 1 is followed by its signatures, so that no block can contain this.
  if (version === 1) throw new RangeError('expected a message of legacy or version 0, got version 1');
  throw unknownVersion(version);
}

/** Reads bytes in order. The compact lengths of legacy and version 0 have 7 bits a byte and at most three bytes. */
class ShortReader {
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
