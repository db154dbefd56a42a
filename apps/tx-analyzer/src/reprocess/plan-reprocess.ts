import type { Block, Transaction, Transfer } from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { MatchedTransaction, MatchedTransfer } from '../matched-transaction.ts';
import { directionOf } from '../match-transactions.ts';
import type { TransactionState } from '../transaction-state.ts';

/** What of blocks that were decoded again is to be written. */
export interface ReprocessPlan {
  /** Transactions without a record in their block, and what comes in place of the undone. */
  readonly fresh: readonly MatchedTransaction[];
  /** Records that gain something, with all transfers that they have from now on. */
  readonly grown: readonly MatchedTransaction[];
  /** Unproved records that are proved from now on. */
  readonly proved: readonly TransactionState[];
  /** Unproved records of what the chain, as it is known now, does not say. */
  readonly undone: readonly TransactionState[];
}

interface Decoded {
  readonly chainGid: string;
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
  /** What stands in these blocks and was not undone. */
  readonly records: readonly TransactionState[];
}

/**
 * Compares records with what today's decoder reads in their blocks. A proof outweighs a record that has none. Nothing that
 * is unproved changes what is proved or confirmed: it may be one node's lie.
 */
export function planReprocess({ chainGid, blocks, matches, records }: Decoded): ReprocessPlan {
  const byHash = new Map(blocks.map((block) => [block.hash, new Map(block.transactions.map((transaction) => [transaction.hash, transaction]))]));
  const known = new Set(blocks.filter(({ unknowns }) => (unknowns?.length ?? 0) === 0).map(({ hash }) => hash));
  const undone: TransactionState[] = [];
  const proved: TransactionState[] = [];
  for (const record of records.filter(({ isUnproved }) => isUnproved)) {
    const transaction = byHash.get(record.blockHash!)?.get(record.hash);
    if (transaction === undefined && !known.has(record.blockHash!)) continue;
    if (transaction?.isUnproved === true) continue;
    if (transaction !== undefined && saysSame(record, transaction)) proved.push(record);
    else undone.push(record);
  }
  const recordsById = new Map(records.map((record) => [record.id, record]));
  const undoneIds = new Set(undone.map(({ id }) => id));
  const fresh: MatchedTransaction[] = [];
  const grown: MatchedTransaction[] = [];
  for (const match of matches) {
    const record = recordsById.get(transactionIdOf(match.projectId, chainGid, match.transaction.hash));
    if (record === undefined || undoneIds.has(record.id)) fresh.push(match);
    else if (mayGrow(record, match.transaction)) {
      const merged = mergeMatch(record, match);
      if (merged !== undefined) grown.push(merged);
    }
  }
  return { fresh, grown, proved, undone };
}

/** Whether the transaction still says everything that the record tells of it. */
function saysSame(record: TransactionState, transaction: Transaction): boolean {
  if (record.isFailed !== transaction.isFailed) return false;
  // A transaction of unspent outputs is what its hash says.
  if (transaction.utxo !== undefined) return true;
  if (renumber(record.transfers, transaction.transfers).includes(undefined)) return false;
  const ends = new Set([transaction.from, transaction.fee?.payer, ...transaction.transfers.flatMap(({ from, to }) => [from, to])]);
  return record.participants.every(({ address }) => ends.has(address));
}

function mayGrow(record: TransactionState, transaction: Transaction): boolean {
  if (record.isFailed !== transaction.isFailed) return false;
  return transaction.isUnproved !== true || (record.isUnproved && record.status !== 'confirmed' && saysSame(record, transaction));
}

/**
 * The match with what the record has beside: addresses that are not watched any more, at the places that transfers have
 * now. What the decoder does not read any more goes. Undefined where the record has everything.
 */
function mergeMatch(record: TransactionState, match: MatchedTransaction): MatchedTransaction | undefined {
  const transfers = new Map(match.transfers.map((transfer) => [transfer.index, transfer]));
  const indexes = match.transaction.utxo === undefined ? renumber(record.transfers, match.transaction.transfers) : record.transfers.map(({ index }) => index);
  for (const [position, stored] of record.transfers.entries()) {
    const index = indexes[position];
    if (index === undefined) continue;
    const monitored = [...new Set([...stored.monitored, ...(transfers.get(index)?.monitored ?? [])])];
    transfers.set(index, { ...stored, ...transfers.get(index), index, monitored });
  }
  const all = [...transfers.values()].sort((a, b) => a.index - b.index);
  const hasMore = match.participants.some(({ id }) => !record.participants.some((participant) => participant.id === id));
  if (!hasMore && listFacts(all) === listFacts(record.transfers) && hasFee(record, match.transaction)) return undefined;
  return { ...match, transfers: all, direction: match.transaction.utxo === undefined && !record.isFailed ? directionOf(all) : match.direction };
}

function hasFee({ fee }: TransactionState, { fee: now }: Transaction): boolean {
  return now === undefined || (fee?.assetGid === now.assetGid && fee.amountRaw === now.amountRaw);
}

/** Where each of `stored` stands among `transfers`; undefined for one that is not there. */
function renumber(stored: readonly Transfer[], transfers: readonly Transfer[]): (number | undefined)[] {
  const places = new Map<string, number[]>();
  for (const transfer of transfers) {
    const key = keyOf(transfer);
    const place = places.get(key);
    if (place === undefined) places.set(key, [transfer.index]);
    else place.push(transfer.index);
  }
  return stored.map((transfer) => places.get(keyOf(transfer))?.shift());
}

function keyOf({ type, assetGid, from, to, amountRaw, logIndex }: Transfer): string {
  return [type, assetGid, from, to, amountRaw, logIndex].join('|');
}

function listFacts(transfers: readonly MatchedTransfer[]): string {
  return transfers.map((transfer) => `${transfer.index}|${keyOf(transfer)}|${[...transfer.monitored].sort().join()}`).join('\n');
}
