// SPDX-License-Identifier: Apache-2.0
import { encodeAtomic, hashExtraData, type AtomicPlan } from './encode-atomic.ts';
import { bloomOf, encodeReceipt, hashOf, rootOf, toQuantity } from './encode-parts.ts';
import type { ChainLog, Hex, ReceiptContent } from './encode-parts.ts';
import { describeReceipt, makeTransaction } from './make-transaction.ts';
import type { MadeTransaction, TransactionPlan } from './make-transaction.ts';

type Json = Readonly<Record<string, unknown>>;

export interface BlockPlan {
  readonly transactions?: readonly TransactionPlan[];
  /** Height up to which its header settles; default: no further than the parent's. */
  readonly settles?: number;
  /** Unix milliseconds; default: `blockTimeMs` after the parent. */
  readonly timestampMs?: number;
  /** As before Helicon: executed at once, under roots of its own. */
  readonly isSynchronous?: boolean;
  /** Imports and exports of coins, which no transaction carries. */
  readonly atomic?: readonly AtomicPlan[];
  /** `blockExtraData`; default: the encoding of `atomic`. */
  readonly extraData?: Hex;
}

export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly isSynchronous: boolean;
  /** Of the last block that is settled with this one; of a synchronous block its own number. */
  readonly settledHeight: number;
  readonly timestampMs: number;
  /** The members that are hashed, as JSON-RPC gives them. */
  readonly header: HeaderFields;
  readonly made: readonly MadeTransaction[];
  readonly atomic: readonly AtomicPlan[];
  readonly extraData: Hex;
  /** As `eth_getBlockByHash` gives them. */
  readonly transactions: readonly Json[];
  /** As `eth_getBlockReceipts` gives them. */
  readonly receipts: readonly (Json & { readonly logs: readonly Json[] })[];
}

export type HeaderFields = Readonly<Record<(typeof HEADER_ORDER)[number], Hex>>;

export interface SettledChainOptions {
  /** Default 43113, Fuji. */
  readonly chainId?: number;
  /** Number of the first block, which is synchronous and empty; default 0. */
  readonly firstNumber?: number;
  /** Unix milliseconds of the first block. */
  readonly startMs?: number;
  /** Default 1,000. */
  readonly blockTimeMs?: number;
}

/** Order of the header's fields under its hash (coreth, `customtypes.HeaderSerializable`). */
const HEADER_ORDER = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'extDataHash',
  'baseFeePerGas',
  'extDataGasUsed',
  'blockGasCost',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'timestampMilliseconds',
  'minDelayExcess',
  'targetExponent',
  'minPriceExponent',
  'settledHeight',
  'settledGasUnix',
  'settledGasNumerator',
  'settledExcess',
] as const;
const ASYNCHRONOUS_FIELDS = 6;

/**
 * A chain that settles blocks after it has accepted them, as Avalanche's C-Chain since Helicon does
 * (https://github.com/avalanche-foundation/ACPs/blob/main/ACPs/194-streaming-asynchronous-execution/README.md):
 * `receiptsRoot` and `logsBloom` of a header are over the receipts of the blocks that are settled with it.
 */
export class SettledChain {
  readonly chainId: number;
  readonly #options: Required<SettledChainOptions>;
  readonly #blocks: ChainBlock[] = [];

  private constructor(options: SettledChainOptions) {
    this.#options = {
      chainId: 43_113,
      firstNumber: 0,
      startMs: 1_700_000_000_000,
      blockTimeMs: 1_000,
      ...options,
    };
    this.chainId = this.#options.chainId;
  }

  static async create(options: SettledChainOptions = {}): Promise<SettledChain> {
    const chain = new SettledChain(options);
    await chain.append({ isSynchronous: true });
    return chain;
  }

  get blocks(): readonly ChainBlock[] {
    return this.#blocks;
  }

  get last(): ChainBlock {
    return this.#blocks.at(-1)!;
  }

  find(number: number): ChainBlock | undefined {
    return this.#blocks[number - this.#options.firstNumber];
  }

  /** One block more. @throws RangeError where it would settle what it may not */
  async append({
    transactions = [],
    settles,
    timestampMs,
    isSynchronous = false,
    atomic = [],
    extraData = encodeAtomic(atomic, this.chainId),
  }: BlockPlan = {}): Promise<ChainBlock> {
    const parent = this.#blocks.at(-1);
    const number = parent === undefined ? this.#options.firstNumber : parent.number + 1;
    const settledBefore = parent?.settledHeight ?? number - 1;
    const settledHeight = isSynchronous ? number : (settles ?? settledBefore);
    if (!isSynchronous && (settledHeight < settledBefore || settledHeight >= number))
      throw new RangeError(`block ${number}: cannot settle up to ${settledHeight} after ${settledBefore}`);
    const made = this.#make(transactions);
    const covered = isSynchronous
      ? made.map(({ receipt }) => receipt)
      : this.#receiptsOf(settledBefore + 1, settledHeight);
    const atMs =
      timestampMs ??
      (parent === undefined ? this.#options.startMs : parent.timestampMs + this.#options.blockTimeMs);
    const header = await toHeader({
      number,
      parentHash: parent?.hash,
      made,
      covered,
      atMs,
      isSynchronous,
      settledHeight,
      extraData,
    });
    const block = listBlock({
      number,
      hash: hashHeader(header),
      isSynchronous,
      settledHeight,
      timestampMs: atMs,
      header,
      made,
      atomic,
      extraData,
    });
    this.#blocks.push(block);
    return block;
  }

  /** Drops the blocks from `number` on, for another branch. */
  truncate(number: number): void {
    this.#blocks.splice(Math.max(1, number - this.#options.firstNumber));
  }

  #make(plans: readonly TransactionPlan[]): readonly MadeTransaction[] {
    const made: MadeTransaction[] = [];
    for (const plan of plans) {
      const nonce = made.length + this.#blocks.reduce((count, block) => count + block.made.length, 0);
      const gasBefore = made.at(-1)?.receipt.cumulativeGasUsed ?? 0;
      made.push(makeTransaction(plan, { chainId: this.chainId, nonce, gasBefore }));
    }
    return made;
  }

  #receiptsOf(from: number, to: number): readonly ReceiptContent[] {
    const receipts: ReceiptContent[] = [];
    for (let number = from; number <= to; number++)
      receipts.push(...(this.find(number)?.made ?? []).map(({ receipt }) => receipt));
    return receipts;
  }
}

/** Hash of a header's fields; an absent one ends them. For headers that a lying node makes up. */
export function hashHeader(header: Partial<HeaderFields>): Hex {
  const end = HEADER_ORDER.findIndex((name) => header[name] === undefined);
  return hashOf(HEADER_ORDER.slice(0, end < 0 ? HEADER_ORDER.length : end).map((name) => header[name]!));
}

interface HeaderContent {
  readonly number: number;
  readonly parentHash: Hex | undefined;
  readonly made: readonly MadeTransaction[];
  /** The receipts under its root. */
  readonly covered: readonly ReceiptContent[];
  readonly atMs: number;
  readonly isSynchronous: boolean;
  readonly settledHeight: number;
  readonly extraData: Hex;
}

async function toHeader({
  number,
  parentHash,
  made,
  covered,
  atMs,
  isSynchronous,
  settledHeight,
  extraData,
}: HeaderContent) {
  const logs: readonly ChainLog[] = covered.flatMap((receipt) => receipt.logs);
  const seconds = Math.floor(atMs / 1_000);
  const values: Record<(typeof HEADER_ORDER)[number], Hex> = {
    parentHash: parentHash ?? `0x${'00'.repeat(32)}`,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: '0x0100000000000000000000000000000000000000',
    stateRoot: `0x${'78'.repeat(32)}`,
    transactionsRoot: await rootOf(made.map(({ encoding }) => encoding)),
    receiptsRoot: await rootOf(covered.map(encodeReceipt)),
    logsBloom: bloomOf(logs),
    difficulty: '0x1',
    number: toQuantity(number),
    gasLimit: '0x1e84800',
    // The worst case: what the transactions may use, at a price that nobody paid.
    gasUsed: toQuantity(
      isSynchronous ? made.reduce((sum, { gasUsed }) => sum + gasUsed, 0) : made.length * 200_000,
    ),
    timestamp: toQuantity(seconds),
    extraData: '0x000000000000',
    mixHash: `0x${'00'.repeat(32)}`,
    nonce: '0x0000000000000000',
    extDataHash: hashExtraData(extraData),
    baseFeePerGas: isSynchronous ? '0x5d21dba00' : '0x9502f9000',
    extDataGasUsed: '0x0',
    blockGasCost: '0x0',
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
    timestampMilliseconds: toQuantity(atMs),
    minDelayExcess: '0x6cd69c',
    targetExponent: '0xf0a451',
    minPriceExponent: '0xd49a784bcd1b8b0',
    settledHeight: toQuantity(settledHeight),
    settledGasUnix: toQuantity(seconds - 5),
    settledGasNumerator: '0x83720',
    settledExcess: '0x131b81f7',
  };
  const names = isSynchronous ? HEADER_ORDER.slice(0, -ASYNCHRONOUS_FIELDS) : HEADER_ORDER;
  return Object.fromEntries(names.map((name) => [name, values[name]])) as HeaderFields;
}

function listBlock(block: Omit<ChainBlock, 'transactions' | 'receipts'>): ChainBlock {
  const { hash, number, made } = block;
  let logIndex = 0;
  const placeOf = (index: number): Json => ({
    blockHash: hash,
    blockNumber: toQuantity(number),
    transactionIndex: toQuantity(index),
  });
  return {
    ...block,
    transactions: made.map(({ json }, index) => ({ ...json, ...placeOf(index) })),
    receipts: made.map((transaction, index) => ({
      ...describeReceipt(transaction),
      ...placeOf(index),
      logs: transaction.receipt.logs.map((log) => ({
        ...log,
        ...placeOf(index),
        transactionHash: transaction.json.hash,
        logIndex: toQuantity(logIndex++),
        removed: false,
      })),
    })),
  };
}
