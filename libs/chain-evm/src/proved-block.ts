import type {
  AddressFilter,
  BalanceChange,
  Block,
  BodyBytes,
  Network,
  Transaction,
} from '@chainwatch/chain-core';
import { ADDRESS_LENGTH, HASH_LENGTH, type ScannedBlock } from '@chainwatch/evm-prover';
import { decodeTransaction } from './decode-block.ts';
import type { TransactionTrace } from './decode-traces.ts';
import { expectReceipt, expectTransaction } from './parse-raw-block.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';

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
