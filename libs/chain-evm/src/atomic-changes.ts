// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BalanceChange, type Network } from '@chainwatch/chain-core';
import { data, encodeRlpItem, keccak256Hex } from './encode-rlp.ts';
import { readTraits, type EvmTraits } from './networks.ts';
import type { RawHeader } from './raw-block.ts';
import type { UnknownParts } from './unknown-parts.ts';
import { BaseError } from '@chainwatch/common/problem';

/** 1 nAVAX, the unit of atomic transactions, in wei. */
const WEI_PER_NAVAX = 1_000_000_000n;
/** Blocks before Apricot Phase 1 (March 2021) have this `extDataHash`; nothing in their header proves the data. */
const NO_HASH = `0x${'00'.repeat(32)}`;

/**
 * Whether `blockExtraData` is what the header says it is: `extDataHash` is the keccak-256 of its RLP (coreth,
 * `CalcExtDataHash`). True where the header says nothing of it.
 * @throws InvalidHexError
 */
function hasItsExtraData(header: RawHeader, { stack }: Pick<EvmTraits, 'stack'>): boolean {
  return expectsExtraData(header, stack) ? hashOf(header) === header.extDataHash : true;
}

/**
 * Proves the atomic transactions of a block, and names what of them is not known.
 * @throws IncompleteBlockError where the data is not that of the header, InvalidHexError
 */
export function verifyExtraData(header: RawHeader, traits: EvmTraits, parts: UnknownParts): void {
  if (!hasItsExtraData(header, traits))
    throw new IncompleteBlockError(
      `extDataHash of block ${Number(header.number)} ${header.hash}: expected ${header.extDataHash}, got ${hashOf(header)} from its blockExtraData`,
    );
  const unknown = readAtomic(header, traits)?.unknown;
  if (unknown !== undefined) parts.add(unknown.what, unknown.name, unknown);
}

/**
 * What atomic transactions move into the chain and out of it: native coins that no transaction of the block carries. Other
 * assets than AVAX are in no balance that anybody reads. Where the header does not prove the data, the balance is read
 * without an amount.
 */
export function decodeAtomicChanges(network: Network, header: RawHeader): BalanceChange[] {
  const traits = readTraits(network);
  const atomic = readAtomic(header, traits);
  const assetGid = network.native?.gid;
  if (atomic === undefined || assetGid === undefined) return [];
  const { avaxAssetId } = traits;
  const isProved = expectsExtraData(header, traits.stack) && avaxAssetId !== undefined;
  return atomic.moves
    .filter(({ assetId }) => avaxAssetId === undefined || assetId === avaxAssetId)
    .map(({ address, amount }) => ({
      address,
      assetGid,
      ...(isProved && { amountRaw: amount * WEI_PER_NAVAX }),
      reason: 'atomic',
    }));
}

function readAtomic(
  { blockExtraData }: RawHeader,
  { stack }: Pick<EvmTraits, 'stack'>,
): ReturnType<typeof decodeAtomicTransactions> | undefined {
  if (stack !== 'avalanche' || typeof blockExtraData !== 'string' || blockExtraData === '0x')
    return undefined;
  return decodeAtomicTransactions(Buffer.from(data(blockExtraData).slice(2), 'hex'));
}

function expectsExtraData({ extDataHash }: RawHeader, stack: EvmTraits['stack']): boolean {
  return stack === 'avalanche' && typeof extDataHash === 'string' && extDataHash !== NO_HASH;
}

function hashOf({ blockExtraData }: RawHeader): string {
  return `0x${keccak256Hex(encodeRlpItem(data(blockExtraData)))}`;
}

// Avalanche's linear codec, version 0, as the C-Chain registers its types (coreth, plugin/evm/atomic/codec.go;
// https://build.avax.network/docs/api-reference/c-chain/txn-format). Numbers are big-endian.

/** What one account gets (positive) or gives. */
interface AtomicMove {
  /** Lower case, with prefix. */
  readonly address: string;
  /** In the smallest unit of its asset on the other chains; of AVAX nAVAX. */
  readonly amount: bigint;
  /** 32 bytes in lower-case hex, with prefix. */
  readonly assetId: string;
}

/** Something of the data that this release does not know. */
interface UnknownAtomic {
  readonly what: string;
  readonly name: string;
  readonly expected: string;
  readonly got: string;
}

interface AtomicTransactions {
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
