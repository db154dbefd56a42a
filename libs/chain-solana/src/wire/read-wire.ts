// SPDX-License-Identifier: Apache-2.0
import { unknownVersion, UnknownTransactionError } from './unknown-transaction-error.ts';
import {
  VERSION_FLAG,
  WireTransaction,
  KEY_BYTES,
  SIGNATURE_BYTES,
  type WireInstruction,
  type TransactionConfig,
} from './wire-transaction.ts';

/**
 * A signed transaction of legacy, version 0 or version 1 from its bytes. In the first two the first byte is a
 * count of signatures, which never reaches 0x80, so that it tells the layouts apart.
 * @throws RangeError when the bytes are not what they claim to be, UnknownTransactionError for another version or an
 *   unknown configuration value
 */
export function readWire(bytes: Buffer): WireTransaction {
  const first = bytes[0] ?? 0;
  if (first < VERSION_FLAG) return new SignaturesFirst(bytes);
  const version = first & ~VERSION_FLAG;
  if (version === 0) throw new RangeError('expected signatures before a message of version 0, got none');
  if (version === 1) return new SignaturesLast(bytes);
  throw unknownVersion(version);
}

/**
 * Legacy and version 0: signatures, then the message
 * (https://solana.com/docs/core/transactions#transaction-structure).
 */
class SignaturesFirst extends WireTransaction {
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

// Positions of the fields before the addresses.
const REQUIRED_AT = 1;
const READONLY_SIGNED_AT = 2;
const READONLY_UNSIGNED_AT = 3;
const MASK_AT = 4;
const INSTRUCTION_COUNT_AT = 40;
const KEY_COUNT_AT = 41;
const KEYS_AT = 42;

/** Bytes of a configuration value, and of the header of an instruction. */
const WORD_BYTES = 4;
// Bits of the mask. The priority fee has two words, the low one first.
const PRIORITY_FEE = 0b11;
const COMPUTE_UNIT_LIMIT = 0b100;
const LOADED_ACCOUNTS_DATA_SIZE_LIMIT = 0b1000;
const HEAP_SIZE = 0b10000;
const KNOWN_BITS = 0b11111;

/**
 * Version 1 (SIMD-0385,
 * https://github.com/solana-foundation/solana-improvement-documents/blob/main/proposals/0385-transaction-v1.md):
 * version byte 0x81, header, configuration mask, lifetime, counts, addresses, configuration values, headers of the
 * instructions, their payloads, signatures. It has no look-up tables. Limits of bytes, addresses and signatures are
 * not applied: later features raise them (SIMD-0596).
 */
class SignaturesLast extends WireTransaction {
  readonly bytes: Buffer;
  readonly version = 1;
  readonly signatureCount: number;
  readonly keyCount: number;
  readonly instructionCount: number;
  protected readonly signaturesAt: number;
  protected readonly keysAt = KEYS_AT;
  readonly #configAt: number;
  readonly #headersAt: number;
  readonly #payloadsAt: number;

  /**
   * @throws RangeError when the bytes are too few or too many, or contradict each other, UnknownTransactionError for
   *   a configuration value that is not known
   */
  constructor(bytes: Buffer) {
    super();
    expectBytes(bytes, KEYS_AT);
    this.bytes = bytes;
    this.signatureCount = bytes[REQUIRED_AT]!;
    this.keyCount = bytes[KEY_COUNT_AT]!;
    this.instructionCount = bytes[INSTRUCTION_COUNT_AT]!;
    const mask = bytes.readUInt32LE(MASK_AT);
    this.#configAt = KEYS_AT + this.keyCount * KEY_BYTES;
    this.#headersAt = this.#configAt + countBits(mask) * WORD_BYTES;
    this.#payloadsAt = this.#headersAt + this.instructionCount * WORD_BYTES;
    expectBytes(bytes, this.#payloadsAt);
    expectHeader(bytes);
    expectMask(mask);
    this.signaturesAt = this.#walkPayloads();
    const end = this.signaturesAt + this.signatureCount * SIGNATURE_BYTES;
    if (bytes.length !== end) throw new RangeError(`expected ${end} bytes, got ${bytes.length}`);
    refuseUnknownBits(mask);
  }

  get message(): Uint8Array {
    return this.bytes.subarray(0, this.signaturesAt);
  }

  get firstProgramIndex(): number | undefined {
    return this.instructionCount === 0 ? undefined : this.bytes[this.#headersAt];
  }

  get config(): TransactionConfig {
    const mask = this.bytes.readUInt32LE(MASK_AT);
    const wordAt = (bit: number): number | undefined =>
      (mask & bit) === 0
        ? undefined
        : this.bytes.readUInt32LE(this.#configAt + countBits(mask & (bit - 1)) * WORD_BYTES);
    return {
      priorityFee: (mask & PRIORITY_FEE) === 0 ? undefined : this.bytes.readBigUInt64LE(this.#configAt),
      computeUnitLimit: wordAt(COMPUTE_UNIT_LIMIT),
      loadedAccountsDataSizeLimit: wordAt(LOADED_ACCOUNTS_DATA_SIZE_LIMIT),
      heapSize: wordAt(HEAP_SIZE),
    };
  }

  *instructions(): Generator<WireInstruction> {
    const { bytes } = this;
    let at = this.#payloadsAt;
    for (let headerAt = this.#headersAt; headerAt < this.#payloadsAt; headerAt += WORD_BYTES) {
      const dataAt = at + bytes[headerAt + 1]!;
      const end = dataAt + bytes.readUInt16LE(headerAt + 2);
      yield {
        programIndex: bytes[headerAt]!,
        accounts: bytes.subarray(at, dataAt),
        data: bytes.subarray(dataAt, end),
      };
      at = end;
    }
  }

  /** @returns the end of the payloads @throws RangeError where one ends early, or an index is that of no address */
  #walkPayloads(): number {
    const { bytes, keyCount } = this;
    let at = this.#payloadsAt;
    for (let headerAt = this.#headersAt; headerAt < this.#payloadsAt; headerAt += WORD_BYTES) {
      const dataAt = at + bytes[headerAt + 1]!;
      const end = dataAt + bytes.readUInt16LE(headerAt + 2);
      expectBytes(bytes, end);
      expectIndex(bytes[headerAt]!, keyCount);
      for (; at < dataAt; at += 1) expectIndex(bytes[at]!, keyCount);
      at = end;
    }
    return at;
  }
}

function expectBytes(bytes: Uint8Array, least: number): void {
  if (bytes.length < least) throw new RangeError(`expected ${least} bytes or more, got ${bytes.length}`);
}

function expectIndex(index: number, keyCount: number): void {
  if (index >= keyCount) throw new RangeError(`expected an index below ${keyCount}, got ${index}`);
}

/** The payer signs and is writable; every address that the header counts is there. */
function expectHeader(bytes: Uint8Array): void {
  const required = bytes[REQUIRED_AT]!;
  const readonlySigned = bytes[READONLY_SIGNED_AT]!;
  if (readonlySigned >= required)
    throw new RangeError(`expected fewer read-only signers than ${required}, got ${readonlySigned}`);
  const least = required + bytes[READONLY_UNSIGNED_AT]!;
  if (bytes[KEY_COUNT_AT]! < least)
    throw new RangeError(`expected ${least} addresses or more, got ${bytes[KEY_COUNT_AT]!}`);
}

/** One bit of the priority fee without the other is in no block. */
function expectMask(mask: number): void {
  const bits = mask & PRIORITY_FEE;
  if (bits !== 0 && bits !== PRIORITY_FEE)
    throw new RangeError(`expected both bits of the priority fee or none, got ${bits}`);
}

/** What an unknown value changes is not known: it is not read as if it were not there. */
function refuseUnknownBits(mask: number): void {
  const unknown = mask & ~KNOWN_BITS;
  if (unknown === 0) return;
  const bit = 31 - Math.clz32(unknown & -unknown);
  throw new UnknownTransactionError({
    kind: `transaction-config:${bit}`,
    expected: 'configuration values 0 to 4',
    got: `configuration value ${bit}`,
  });
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
