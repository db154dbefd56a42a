import { ChainError } from '@chainwatch/chain-core';
import type {
  AddressFilter,
  BalanceChange,
  Block,
  BlockRef,
  BodyBytes,
  Network,
  Transaction,
} from '@chainwatch/chain-core';
import {
  ADDRESS_LENGTH,
  HASH_LENGTH,
  scanBlock,
  type Foreign,
  type ScannedBlock,
} from '@chainwatch/evm-prover';
import { SPRINT_LENGTH } from './bor-state-sync.ts';
import { decodeBalanceChanges, decodeTransaction } from './decode-block.ts';
import { ETHER_LOG_ADDRESS, toTouchedAssets } from './decode-logs.ts';
import { encodeReceipt } from './encode-receipt.ts';
import { InvalidHexError } from './encode-rlp.ts';
import { computeCreatedContract, encodeTransaction, typeOf } from './encode-transaction.ts';
import { traitsAt } from './networks.ts';
import { hasWithdrawalsRoot, verifyHeaderOf } from './parse-header.ts';
import { expectReceipt, expectTransaction, parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import type { TransactionTrace } from './read-traces.ts';
import type { Session } from './session.ts';

/** Type of the OP stack's deposits, whose receipts have fields of their own. */
const DEPOSIT_TYPE = 0x7e;

/** Whether blocks of this endpoint may be proved from bytes: only where every root must match. */
export function canProveBytes(
  { traits, capabilities }: Pick<Session, 'traits' | 'capabilities'>,
  ref: BlockRef,
): boolean {
  if (capabilities.receipts === 'single' || traitsAt(traits, ref.number).roots !== 'strict') return false;
  return traits.stack !== 'bor' || ref.number % SPRINT_LENGTH !== 0;
}

/**
 * The block of two JSON-RPC answers, or of one list of both that is given twice, proved as `verifyBlock` does
 * and decoded lazily.
 * @returns undefined where that proves nothing: `verifyBlock` then decides
 */
export function proveBytes(
  { network, traits }: Pick<Session, 'network' | 'traits'>,
  { ref, body, receipts }: { readonly ref: BlockRef; readonly body: BodyBytes; readonly receipts: BodyBytes },
): ProvedBlock | undefined {
  const foreign: RawTransaction[] = [];
  try {
    const scanned = scanBlock(body, {
      receipts,
      hash: ref.hash,
      encodeForeign: (index, transaction, receipt) => {
        const encoded = encodeForeign(index, transaction, receipt);
        if (encoded !== undefined) foreign.push(encoded.raw);
        return encoded;
      },
    });
    // The account in a log of burned ether is one that the prover does not look for.
    if (scanned === undefined || scanned.touched.has(ETHER_LOG_ADDRESS)) return undefined;
    const block = parseRawBlock(JSON.parse(scanned.header));
    if (verifyHeaderOf(ref, block, traits).length > 0) return undefined;
    if (block.transactionsRoot !== scanned.transactionsRoot || block.receiptsRoot !== scanned.receiptsRoot)
      return undefined;
    if (hasWithdrawalsRoot(block, traits) && block.withdrawalsRoot !== scanned.withdrawalsRoot)
      return undefined;
    return new ProvedBlock({
      network,
      block,
      balanceChanges: decodeBalanceChanges(network, block, foreign),
      touchedAssets: toTouchedAssets(network, scanned.touched),
      scanned,
      body,
      receipts,
    });
  } catch (error) {
    if (
      error instanceof ChainError ||
      error instanceof InvalidHexError ||
      error instanceof SyntaxError ||
      error instanceof TypeError
    )
      return undefined;
    throw error;
  }
}

/** Encodes a transaction that creates a contract, has an access list, blobs or authorizations, or belongs to a roll-up. */
function encodeForeign(
  index: number,
  transaction: string,
  receiptText: string,
): (Foreign & { readonly raw: RawTransaction }) | undefined {
  const raw: unknown = JSON.parse(transaction);
  expectTransaction(raw, index);
  const encoding = encodeTransaction(raw);
  if (encoding === undefined) return undefined;
  const isCreation = raw.to === null || raw.to === undefined;
  if (!isCreation && typeOf(raw) !== DEPOSIT_TYPE) return { raw, transaction: encoding };
  const [receipt] = parseRawReceipts([JSON.parse(receiptText)]);
  if (receipt === undefined || (isCreation && !namesCreated(raw, receipt))) return undefined;
  return {
    raw,
    transaction: encoding,
    ...(typeOf(raw) === DEPOSIT_TYPE && { receipt: encodeReceipt(receipt, DEPOSIT_TYPE) }),
  };
}

/** Whether the receipt names the contract that the transaction created; the prover looks for no other address there. */
function namesCreated(tx: RawTransaction, receipt: RawReceipt): boolean {
  const created = computeCreatedContract(tx, receipt);
  return (
    created === undefined ||
    receipt.contractAddress === created ||
    (typeof receipt.contractAddress !== 'string' && receipt.status === '0x0')
  );
}

interface ProvedParts {
  readonly network: Network;
  readonly block: RawBlock;
  readonly balanceChanges: readonly BalanceChange[];
  readonly touchedAssets: readonly string[];
  readonly scanned: ScannedBlock;
  /** The answers that were proved; the same where one request asked for both. */
  readonly body: BodyBytes;
  readonly receipts: BodyBytes;
  /** Traces of the transactions in which something moves, by index. */
  readonly traces?: Traces;
}

type Traces = ReadonlyMap<number, TransactionTrace>;

const noTraces: Traces = new Map();

/** Approximate memory of a movement in a trace. */
const MOVE_BYTES = 200;

/** A proved block as the node sent it: a transaction is decoded when somebody asks for it. */
export class ProvedBlock implements Block {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly transactionCount: number;
  readonly byteLength: number;
  readonly balanceChanges: readonly BalanceChange[];
  readonly touchedAssets: readonly string[];
  readonly #parts: ProvedParts;
  readonly #traces: Traces;

  constructor(parts: ProvedParts) {
    const { block, balanceChanges, touchedAssets, scanned, body, receipts, traces = noTraces } = parts;
    this.number = Number(block.number);
    this.hash = block.hash;
    this.parentHash = block.parentHash;
    this.timestamp = Number(block.timestamp);
    this.transactionCount = scanned.count;
    let moves = 0;
    for (const { transfers } of traces.values()) moves += transfers.length;
    this.byteLength =
      body.length +
      (receipts === body ? 0 : receipts.length) +
      scanned.participants.length +
      scanned.hashes.length +
      MOVE_BYTES * moves;
    this.balanceChanges = balanceChanges;
    this.touchedAssets = touchedAssets;
    this.#parts = parts;
    this.#traces = traces;
  }

  /** Of the transactions, in their order. */
  get hashes(): readonly string[] {
    const { hashes } = this.#parts.scanned;
    return Array.from({ length: this.transactionCount }, (_, index) =>
      hashes.substring(HASH_LENGTH * index, HASH_LENGTH * (index + 1)),
    );
  }

  get transactions(): readonly Transaction[] {
    const block = resultOf<RawBlock>(this.#parts.body, 0);
    const receipts = resultOf<readonly RawReceipt[]>(this.#parts.receipts, 1);
    return block.transactions.map((tx, index) => this.#decode(index, tx, receipts[index] as RawReceipt));
  }

  /** The same block with what its traces tell, one of each transaction. */
  withTraces(traces: readonly TransactionTrace[]): ProvedBlock {
    // A trace without a movement is never needed, since the receipt tells whether the transaction failed.
    const moving = [...traces.entries()].filter(([, { transfers }]) => transfers.length > 0);
    return new ProvedBlock({ ...this.#parts, traces: new Map(moving) });
  }

  possibleTransactions(filter: AddressFilter): readonly Transaction[] {
    const { participants, owners } = this.#parts.scanned;
    const found = new Set<number>();
    for (let i = 0; i < owners.length; i++) {
      const index = owners[i] ?? 0;
      if (!found.has(index) && hasAt(filter, participants, ADDRESS_LENGTH * i)) found.add(index);
    }
    for (const [index, { transfers }] of this.#traces)
      if (transfers.some(({ from, to = from }) => hasAt(filter, from, 0) || hasAt(filter, to, 0)))
        found.add(index);
    return [...found].sort((a, b) => a - b).map((index) => this.#decodeAt(index));
  }

  #decodeAt(index: number): Transaction {
    const { scanned, body, receipts } = this.#parts;
    const [txStart = 0, txEnd = 0, receiptStart = 0, receiptEnd = 0] = scanned.spans.subarray(
      5 * index,
      5 * index + 4,
    );
    const tx = JSON.parse(body.slice(txStart, txEnd)) as RawTransaction;
    return this.#decode(index, tx, JSON.parse(receipts.slice(receiptStart, receiptEnd)) as RawReceipt);
  }

  #decode(index: number, tx: RawTransaction, receipt: RawReceipt): Transaction {
    // Items that were encoded outside of the prover may be spelled in another way.
    expectTransaction(tx, index);
    expectReceipt(receipt, index);
    return decodeTransaction({
      network: this.#parts.network,
      number: this.number,
      tx,
      receipt,
      index,
      logIndex: this.#parts.scanned.spans[5 * index + 4] ?? 0,
      trace: this.#traces.get(index),
    });
  }
}

function hasAt(filter: AddressFilter, text: string, from: number): boolean {
  return (
    filter.hasAt?.(text, from, ADDRESS_LENGTH) ?? filter.has(text.substring(from, from + ADDRESS_LENGTH))
  );
}

interface Answer<T> {
  readonly result: T;
}

/** The result of an answer, or of the one at `place` in a list. */
function resultOf<T>(bytes: BodyBytes, place: number): T {
  const parsed = JSON.parse(bytes.toString()) as Answer<T> | readonly Answer<T>[];
  return ('result' in parsed ? parsed : (parsed[place] as Answer<T>)).result;
}
