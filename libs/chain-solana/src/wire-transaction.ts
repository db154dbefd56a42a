import { toBase58 } from './base58-text.ts';

/** One instruction of a message, by its position in the bytes. */
export interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_FLAG = 0x80;

/** The version of a transaction from its bytes, where it is neither legacy nor 0. */
export function findUnknownVersion(bytes: Uint8Array): number | undefined {
  const first = bytes[0] ?? 0;
  // No transaction has 128 signatures, so this byte is the version.
  if ((first & VERSION_FLAG) !== 0) return first & ~VERSION_FLAG;
  const message = bytes[1 + first * SIGNATURE_BYTES] ?? 0;
  return message > VERSION_FLAG ? message & ~VERSION_FLAG : undefined;
}

/**
 * The positions of the parts of a signed transaction in its bytes, legacy or version 0
 * (`findUnknownVersion`). Nothing is copied.
 */
export class WireTransaction {
  readonly bytes: Buffer;
  readonly signatureCount: number;
  /** Number of keys that the message itself holds; looked-up ones follow them. */
  readonly keyCount: number;
  readonly #signaturesAt: number;
  readonly #messageAt: number;
  readonly #keysAt: number;
  readonly #instructionsAt: number;

  /** @throws RangeError when the bytes end early */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
    const reader = new ShortReader(bytes, 0);
    this.signatureCount = reader.length();
    this.#signaturesAt = reader.at;
    this.#messageAt = reader.skip(this.signatureCount * SIGNATURE_BYTES);
    if (bytes[this.#messageAt] === VERSION_FLAG) reader.skip(1);
    if (reader.byte() !== this.signatureCount)
      throw new RangeError(`expected ${this.signatureCount} signers, got ${bytes[reader.at - 1]}`);
    reader.skip(2);
    this.keyCount = reader.length();
    this.#keysAt = reader.at;
    reader.skip(this.keyCount * KEY_BYTES + KEY_BYTES);
    this.#instructionsAt = reader.at;
  }

  /** The first signature, which names the transaction. */
  get signature(): string {
    return toBase58(this.bytes, this.#signaturesAt, SIGNATURE_BYTES);
  }

  get firstSignature(): Uint8Array {
    return this.bytes.subarray(this.#signaturesAt, this.#signaturesAt + SIGNATURE_BYTES);
  }

  /** The bytes that were signed. */
  get message(): Uint8Array {
    return this.bytes.subarray(this.#messageAt);
  }

  keyAt(index: number): string {
    return toBase58(this.bytes, this.#keysAt + index * KEY_BYTES, KEY_BYTES);
  }

  keyBytesAt(index: number): Uint8Array {
    return this.bytes.subarray(this.#keysAt + index * KEY_BYTES, this.#keysAt + (index + 1) * KEY_BYTES);
  }

  isKeyAt(index: number, key: Uint8Array): boolean {
    const at = this.#keysAt + index * KEY_BYTES;
    for (let offset = 0; offset < KEY_BYTES; offset += 1)
      if (this.bytes[at + offset] !== key[offset]) return false;
    return index < this.keyCount;
  }

  hasKey(key: Uint8Array): boolean {
    for (let index = 0; index < this.keyCount; index += 1) if (this.isKeyAt(index, key)) return true;
    return false;
  }

  get instructionCount(): number {
    return new ShortReader(this.bytes, this.#instructionsAt).length();
  }

  /** Program index of the first instruction; undefined where there is none. */
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

/** Reads Solana's compact lengths: 7 bits a byte, at most three bytes. */
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

  skip(count: number): number {
    this.at += count;
    if (this.at > this.#bytes.length)
      throw new RangeError(`expected ${this.at} bytes or more, got ${this.#bytes.length}`);
    return this.at;
  }
}
