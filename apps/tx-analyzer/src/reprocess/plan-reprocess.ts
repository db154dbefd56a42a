import type { Block } from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { mergeMatch, saysSame } from '../match/merge-match.ts';
import type { TransactionState } from '../model/transaction-state.ts';

/** What to write for blocks that were decoded again. */
export interface ReprocessPlan {
  /** Transactions that have no record in their block, or that replace an undone one. */
  readonly fresh: readonly MatchedTransaction[];
  /** Records that gain something, with their complete transfers. */
  readonly grown: readonly MatchedTransaction[];
  /** Unproved records that are proved now. */
  readonly proved: readonly TransactionState[];
  /** Unproved records that the chain, as it is known now, contradicts. */
  readonly undone: readonly TransactionState[];
}

interface Decoded {
  readonly chainGid: string;
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
  /** The records of these blocks that were not undone. */
  readonly records: readonly TransactionState[];
}

/**
 * Compares records with what today's decoder reads in their blocks. A proof outweighs an unproved record. Nothing
 * unproved changes a proved or confirmed record: it may be one node's lie.
 */
export function planReprocess({ chainGid, blocks, matches, records }: Decoded): ReprocessPlan {
  const byHash = new Map(
    blocks.map((block) => [
      block.hash,
      new Map(block.transactions.map((transaction) => [transaction.hash, transaction])),
    ]),
  );
  const known = new Set(
    blocks.filter(({ unknowns }) => (unknowns?.length ?? 0) === 0).map(({ hash }) => hash),
  );
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
    else {
      const merged = mergeMatch(record, match);
      if (merged !== undefined) grown.push(merged);
    }
  }
  return { fresh, grown, proved, undone };
}
