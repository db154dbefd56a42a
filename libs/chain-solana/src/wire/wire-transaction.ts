// SPDX-License-Identifier: Apache-2.0
import { toBase58 } from '../base58-text.ts';

/** One instruction of a message, by its position in the bytes. */
export interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

/** What a transaction of version 1 requests. Undefined: its mask has no bit for the value. */
export interface TransactionConfig {
  /** For the whole transaction, in lamports. */
  readonly priorityFee: bigint | undefined;
  readonly computeUnitLimit: number | undefined;
  /** Bytes. */
  readonly loadedAccountsDataSizeLimit: number | undefined;
  /** Bytes. */
  readonly heapSize: number | undefined;
}

type TransactionVersion = 'legacy' | 0 | 1;

/** The highest version whose bytes are read here (readWire). */
export const VERSION_MAX = 1;
/** Set in the first byte of a message whose other bits are the version. */
export const VERSION_FLAG = 0x80;
export const SIGNATURE_BYTES = 64;
export const KEY_BYTES = 32;

/** The positions of the parts of a signed transaction in its bytes, whatever its version. Nothing is copied. */
export abstract class WireTransaction {
  abstract readonly bytes: Buffer;
  abstract readonly version: TransactionVersion;
  abstract readonly signatureCount: number;
  /** Number of keys that the message itself contains; looked-up ones follow them. */
  abstract readonly keyCount: number;
  protected abstract readonly signaturesAt: number;
  protected abstract readonly keysAt: number;

  /** The bytes that were signed. */
  abstract get message(): Uint8Array;
  abstract get instructionCount(): number;
  /** Program index of the first instruction; undefined where there is none. */
  abstract get firstProgramIndex(): number | undefined;
  /** Undefined in legacy and version 0, which request by instructions. */
  abstract get config(): TransactionConfig | undefined;
  abstract instructions(): Generator<WireInstruction>;

  /** The first signature, which is the id of the transaction. */
  get signature(): string {
    return toBase58(this.bytes, this.signaturesAt, SIGNATURE_BYTES);
  }

  get firstSignature(): Uint8Array {
    return this.bytes.subarray(this.signaturesAt, this.signaturesAt + SIGNATURE_BYTES);
  }

  keyAt(index: number): string {
    return toBase58(this.bytes, this.keysAt + index * KEY_BYTES, KEY_BYTES);
  }

  keyBytesAt(index: number): Uint8Array {
    return this.bytes.subarray(this.keysAt + index * KEY_BYTES, this.keysAt + (index + 1) * KEY_BYTES);
  }

  isKeyAt(index: number, key: Uint8Array): boolean {
    const at = this.keysAt + index * KEY_BYTES;
    for (let offset = 0; offset < KEY_BYTES; offset += 1)
      if (this.bytes[at + offset] !== key[offset]) return false;
    return index < this.keyCount;
  }

  hasKey(key: Uint8Array): boolean {
    for (let index = 0; index < this.keyCount; index += 1) if (this.isKeyAt(index, key)) return true;
    return false;
  }
}
