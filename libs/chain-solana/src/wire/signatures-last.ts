// SPDX-License-Identifier: Apache-2.0
import { UnknownTransactionError } from './unknown-transaction-error.ts';
import {
  KEY_BYTES,
  SIGNATURE_BYTES,
  WireTransaction,
  type TransactionConfig,
  type WireInstruction,
} from './wire-transaction.ts';

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
export class SignaturesLast extends WireTransaction {
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
