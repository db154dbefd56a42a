import type {
  AddressFilter,
  BalanceChange,
  Block,
  BodyBytes,
  Network,
  Transaction,
} from '@chainwatch/chain-core';
import { addressLength } from './block-prover.ts';
import type { ScannedBlock } from './block-prover.ts';
import { decodeTransaction } from './decode-block.ts';
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
}

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
  readonly #network: Network;
  readonly #scanned: Pick<ScannedBlock, 'spans' | 'participants' | 'owners'>;
  readonly #body: BodyBytes;
  readonly #receipts: BodyBytes;

  constructor({ network, block, balanceChanges, touchedAssets, scanned, body, receipts }: ProvedParts) {
    this.number = Number(block.number);
    this.hash = block.hash;
    this.parentHash = block.parentHash;
    this.timestamp = Number(block.timestamp);
    this.transactionCount = scanned.count;
    this.byteLength = body.length + (receipts === body ? 0 : receipts.length) + scanned.participants.length;
    this.balanceChanges = balanceChanges;
    this.touchedAssets = touchedAssets;
    this.#network = network;
    this.#scanned = { spans: scanned.spans, participants: scanned.participants, owners: scanned.owners };
    this.#body = body;
    this.#receipts = receipts;
  }

  get transactions(): readonly Transaction[] {
    const block = resultOf<RawBlock>(this.#body, 0);
    const receipts = resultOf<readonly RawReceipt[]>(this.#receipts, 1);
    return block.transactions.map((tx, index) => this.#decode(index, tx, receipts[index] as RawReceipt));
  }

  possibleTransactions(filter: AddressFilter): readonly Transaction[] {
    const { participants, owners } = this.#scanned;
    const found: Transaction[] = [];
    let last = -1;
    for (let i = 0; i < owners.length; i++) {
      const index = owners[i] ?? 0;
      if (index === last || !hasAt(filter, participants, addressLength * i)) continue;
      last = index;
      found.push(this.#decodeAt(index));
    }
    return found;
  }

  #decodeAt(index: number): Transaction {
    const [txStart = 0, txEnd = 0, receiptStart = 0, receiptEnd = 0] = this.#scanned.spans.subarray(
      5 * index,
      5 * index + 4,
    );
    const tx = JSON.parse(this.#body.slice(txStart, txEnd)) as RawTransaction;
    return this.#decode(index, tx, JSON.parse(this.#receipts.slice(receiptStart, receiptEnd)) as RawReceipt);
  }

  #decode(index: number, tx: RawTransaction, receipt: RawReceipt): Transaction {
    // What was encoded outside of the module may be spelled otherwise.
    expectTransaction(tx, index);
    expectReceipt(receipt, index);
    return decodeTransaction({
      network: this.#network,
      number: this.number,
      tx,
      receipt,
      index,
      logIndex: this.#scanned.spans[5 * index + 4] ?? 0,
    });
  }
}

function hasAt(filter: AddressFilter, text: string, from: number): boolean {
  return filter.hasAt?.(text, from, addressLength) ?? filter.has(text.substring(from, from + addressLength));
}

interface Answer<T> {
  readonly result: T;
}

/** Of an answer, or of the one at a place in a list. */
function resultOf<T>(bytes: BodyBytes, place: number): T {
  const parsed = JSON.parse(bytes.toString()) as Answer<T> | readonly Answer<T>[];
  return ('result' in parsed ? parsed : (parsed[place] as Answer<T>)).result;
}
