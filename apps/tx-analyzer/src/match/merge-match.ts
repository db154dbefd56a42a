// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, rankOf, type Transaction, type Transfer } from '@chainwatch/chain-core';
import type { MatchedTransaction, MatchedTransfer } from '../model/matched-transaction.ts';
import { directionOf } from './match-transactions.ts';
import type { TransactionState } from '../model/transaction-state.ts';

/**
 * The content of a record after its transaction is read again: the match, plus stored transfers of addresses that
 * are no longer watched. These get their current index, because another release may count transfers differently;
 * those that the decoder no longer finds are dropped. Undefined when the record has everything, and when a read
 * with less behind it than the record would change it or contradicts it: one with evidence only adds addresses, and
 * transfers that only a trace tells.
 */
export function mergeMatch(
  record: TransactionState,
  match: MatchedTransaction,
): MatchedTransaction | undefined {
  if (!mayGrow(record, match.transaction)) return undefined;
  const transfers = new Map(match.transfers.map((transfer) => [transfer.index, transfer]));
  const indexes =
    match.transaction.utxo === undefined
      ? renumber(record.transfers, match.transaction.transfers)
      : record.transfers.map(({ index }) => index);
  for (const [position, stored] of record.transfers.entries()) {
    const index = indexes[position];
    if (index === undefined) continue;
    const monitored = [...new Set([...stored.monitored, ...(transfers.get(index)?.monitored ?? [])])];
    transfers.set(index, { ...stored, ...transfers.get(index), index, monitored });
  }
  const all = [...transfers.values()].sort((a, b) => a.index - b.index);
  const hasMore = match.participants.some(
    ({ id }) => !record.participants.some((participant) => participant.id === id),
  );
  const isSame =
    listFacts(all) === listFacts(record.transfers) &&
    hasFee(record, match.transaction) &&
    (record.txIndex ?? match.transaction.index) === match.transaction.index;
  if (!hasMore && (isSame || (isWeaker(record, match.transaction) && !isMore(record, all)))) return undefined;
  return {
    ...match,
    transfers: all,
    direction: match.transaction.utxo === undefined && !record.isFailed ? directionOf(all) : match.direction,
  };
}

/** Whether the transaction still says everything that the record holds. */
export function saysSame(record: TransactionState, transaction: Transaction): boolean {
  if (record.isFailed !== transaction.isFailed) return false;
  // The hash of a transaction with unspent outputs commits to its content.
  if (transaction.utxo !== undefined) return true;
  if (renumber(record.transfers, transaction.transfers).includes(undefined)) return false;
  const ends = new Set([
    transaction.from,
    transaction.fee?.payer,
    ...transaction.transfers.flatMap(({ from, to }) => [from, to]),
  ]);
  return record.participants.every(({ address }) => ends.has(address));
}

/** Whether a read adds what a node alone tells to a record that left it out: one without traces told it. */
function isMore(record: TransactionState, read: readonly MatchedTransfer[]): boolean {
  if (renumber(record.transfers, read).includes(undefined)) return false;
  const added = renumber(read, record.transfers).flatMap((index, position) =>
    index === undefined ? [read[position]!] : [],
  );
  return added.length > 0 && added.every(({ isAttested }) => isAttested === true);
}

function mayGrow(record: TransactionState, transaction: Transaction): boolean {
  if (record.isFailed !== transaction.isFailed) return false;
  const { verification } = transaction;
  if (record.verification !== 'proved' && !saysSame(record, transaction)) return false;
  if (isWeaker(record, transaction)) return !lacksEvidence(verification) && saysSame(record, transaction);
  return !lacksEvidence(verification) || record.status !== 'confirmed';
}

function isWeaker(record: TransactionState, { verification }: Transaction): boolean {
  return rankOf(verification ?? 'proved') > rankOf(record.verification);
}

function hasFee({ fee }: TransactionState, { fee: now }: Transaction): boolean {
  return now === undefined || (fee?.assetGid === now.assetGid && fee.amountRaw === now.amountRaw);
}

/** The index of each of `stored` among `transfers`; undefined for one that is not there. */
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
  return transfers
    .map((transfer) => `${transfer.index}|${keyOf(transfer)}|${[...transfer.monitored].sort().join()}`)
    .join('\n');
}
