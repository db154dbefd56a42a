// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/problem';

// Avalanche's linear codec, version 0, as the C-Chain registers its types (coreth, plugin/evm/atomic/codec.go;
// https://build.avax.network/docs/api-reference/c-chain/txn-format). Numbers are big-endian.

/** What one account gets (positive) or gives. */
export interface AtomicMove {
  /** Lower case, with prefix. */
  readonly address: string;
  /** In the smallest unit of its asset on the other chains; of AVAX nAVAX. */
  readonly amount: bigint;
  /** 32 bytes in lower-case hex, with prefix. */
  readonly assetId: string;
}

/** Something of the data that this release does not know. */
export interface UnknownAtomic {
  readonly what: string;
  readonly name: string;
  readonly expected: string;
  readonly got: string;
}

export interface AtomicTransactions {
  /** Of the transactions before the first with something unknown. */
  readonly moves: readonly AtomicMove[];
  readonly unknown?: UnknownAtomic;
}

const CODEC_VERSION = 0;
const TYPES = { import: 0, export: 1, transferInput: 5, transferOutput: 7, credential: 9 } as const;
const SIGNATURE_BYTES = 65;

/**
 * Reads the atomic transactions of a block: a list since Apricot Phase 5 (December 2021), before that one alone. A header
 * proved the bytes, so whatever cannot be read is not known rather than wrong.
 */
export function decodeAtomicTransactions(bytes: Uint8Array): AtomicTransactions {
  const list = decodeWith(bytes, true);
  if (list.unknown === undefined) return list;
  // One alone, read as a list, has more transactions than bytes, or bytes left over.
  const single = decodeWith(bytes, false);
  return single.unknown === undefined ? single : list;
}

function decodeWith(bytes: Uint8Array, isList: boolean): AtomicTransactions {
  const reader = new ByteReader(bytes);
  const moves: AtomicMove[] = [];
  try {
    const version = reader.readInt(2);
    if (version !== CODEC_VERSION) throw new UnknownAtomicError('atomic-codec', version, '0');
    const count = isList ? reader.readInt(4) : 1;
    for (let index = 0; index < count; index++) moves.push(...readTransaction(reader));
    if (reader.restBytes > 0)
      throw new UnknownAtomicError(
        'atomic-encoding',
        'rest',
        `${count} transactions and nothing behind them`,
      );
    return { moves };
  } catch (error) {
    if (!(error instanceof UnknownAtomicError)) throw error;
    const { what, kind, expected, message } = error;
    return { moves, unknown: { what, name: kind, expected, got: message } };
  }
}

function readTransaction(reader: ByteReader): AtomicMove[] {
  const type = reader.readInt(4);
  if (type !== TYPES.import && type !== TYPES.export)
    throw new UnknownAtomicError('atomic-transaction', type, 'an import (0) or an export (1)');
  reader.skip(4 + 32 + 32); // network, this chain, the other chain
  const moves = type === TYPES.import ? readImport(reader) : readExport(reader);
  reader.repeat(() => {
    reader.expectType(TYPES.credential);
    reader.repeat(() => reader.skip(SIGNATURE_BYTES));
  });
  return moves;
}

function readImport(reader: ByteReader): AtomicMove[] {
  reader.repeat(() => {
    reader.skip(32 + 4 + 32); // the output that it spends, its asset
    reader.expectType(TYPES.transferInput);
    reader.skip(8);
    reader.repeat(() => reader.skip(4));
  });
  return reader.repeat(() => readMove(reader, 1n));
}

function readExport(reader: ByteReader): AtomicMove[] {
  const moves = reader.repeat(() => {
    const move = readMove(reader, -1n);
    reader.skip(8); // nonce
    return move;
  });
  reader.repeat(() => {
    reader.skip(32); // asset
    reader.expectType(TYPES.transferOutput);
    reader.skip(8 + 8 + 4); // amount, lock time, threshold
    reader.repeat(() => reader.skip(20));
  });
  return moves;
}

function readMove(reader: ByteReader, sign: bigint): AtomicMove {
  const address = reader.readHex(20);
  const amount = sign * BigInt(reader.readHex(8));
  return { address, amount, assetId: reader.readHex(32) };
}

/** The bytes hold something that this release does not know. */
class UnknownAtomicError extends BaseError {
  readonly code = 'unknown_atomic_transaction';
  readonly retryable = false;
  readonly what: string;
  readonly kind: string;
  readonly expected: string;
  constructor(what: string, kind: string | number, expected: string) {
    super(`${what} ${kind}`);
    this.what = what;
    this.kind = String(kind);
    this.expected = expected;
  }
}

class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get restBytes(): number {
    return this.#bytes.length - this.#at;
  }

  skip(count: number): void {
    this.#take(count);
  }

  readInt(count: 2 | 4): number {
    return this.#take(count).readUIntBE(0, count);
  }

  readHex(count: number): string {
    return `0x${this.#take(count).toString('hex')}`;
  }

  expectType(type: number): void {
    const got = this.readInt(4);
    if (got !== type) throw new UnknownAtomicError('atomic-part', got, `type ${type}`);
  }

  /** As often as the number in front says. An item has at least four bytes, so a wrong number ends with the bytes. */
  repeat<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let rest = this.readInt(4); rest > 0; rest--) items.push(read());
    return items;
  }

  #take(count: number): Buffer {
    if (count > this.restBytes) throw new UnknownAtomicError('atomic-encoding', 'end', `${count} more bytes`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}
