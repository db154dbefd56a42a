// SPDX-License-Identifier: Apache-2.0
import {
  lacksEvidence,
  rankOf,
  type Block,
  type Transaction,
  type Verification,
} from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { verificationFor } from '../match/match-transactions.ts';
import { mergeMatch, saysSame } from '../match/merge-match.ts';
import type { TransactionState } from '../model/transaction-state.ts';

/** A record, and the verification that it gains. */
export interface StrengthenedRecord {
  readonly record: TransactionState;
  readonly verification: Verification;
  /** As its block tells it now. */
  readonly transaction: Transaction;
}

/** What to write for blocks that were decoded again. */
export interface ReprocessPlan {
  /** Transactions that have no record in their block, or that replace an undone one. */
  readonly fresh: readonly MatchedTransaction[];
  /** Records that gain something, with their complete transfers. */
  readonly grown: readonly MatchedTransaction[];
  /** Records that more stands behind now: proved, as a rule. */
  readonly proved: readonly StrengthenedRecord[];
  /** Records that a read with more behind it contradicts. */
  readonly undone: readonly TransactionState[];
}

interface Decoded {
  readonly chainGid: string;
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
  /** The records of these blocks that were not undone. */
  readonly records: readonly TransactionState[];
  /** What endpoints of two operators tell alike now (`agreedKey`). */
  readonly agreed?: ReadonlySet<string>;
}

export const agreedKey = (blockHash: string, hash: string): string => `${blockHash}|${hash}`;

/**
 * Compares records with what today's decoder reads in their blocks. A read outweighs a record with less behind it. What
 * lacks evidence changes no proved or confirmed record: it may be one node's lie. What two operators agree on now outweighs what
 * others agreed on before.
 */
export function planReprocess({
  chainGid,
  blocks,
  matches,
  records,
  agreed = new Set(),
}: Decoded): ReprocessPlan {
  const isAgreed = (blockHash: string, hash: string): boolean => agreed.has(agreedKey(blockHash, hash));
  const byHash = new Map(
    blocks.map((block) => [
      block.hash,
      new Map(block.transactions.map((transaction) => [transaction.hash, transaction])),
    ]),
  );
  const untraced = new Set(blocks.flatMap(({ hash, leavesOut }) => (leavesOut === undefined ? [] : [hash])));
  const wholeByHash = new Map(blocks.filter(isWhole).map((block) => [block.hash, block]));
  const undone: TransactionState[] = [];
  const proved: StrengthenedRecord[] = [];
  for (const record of records) {
    const transaction = byHash.get(record.blockHash!)?.get(record.hash);
    const told = transaction ?? wholeByHash.get(record.blockHash!);
    if (told === undefined) continue;
    if (untraced.has(record.blockHash!) && transaction !== undefined && lacksInternal(record, transaction))
      continue;
    const verification = isAgreed(record.blockHash!, record.hash)
      ? 'agreed'
      : transaction === undefined
        ? (told.verification ?? 'proved')
        : verificationAgainst(record, transaction);
    if (lacksEvidence(verification) || rankOf(verification) > rankOf(record.verification)) continue;
    const isSame = transaction !== undefined && saysSame(record, transaction);
    if (rankOf(verification) === rankOf(record.verification)) {
      if (!isSame && isAgreed(record.blockHash!, record.hash)) undone.push(record);
    } else if (isSame) proved.push({ record, verification, transaction });
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
      const merged = mergeMatch(
        record,
        isAgreed(match.block.hash, record.hash)
          ? { ...match, transaction: { ...match.transaction, verification: 'agreed' } }
          : match,
      );
      if (merged !== undefined) grown.push(merged);
    }
  }
  return { fresh, grown, proved, undone };
}

/**
 * Whether a reading that leaves out what only traces show tells the rest of the record alike. It contradicts nothing then: what
 * the record has more, no node may be able to show.
 */
function lacksInternal(record: TransactionState, transaction: Transaction): boolean {
  const logged = <T extends { readonly type: string }>(transfers: readonly T[]): readonly T[] =>
    transfers.filter(({ type }) => type !== 'internal');
  return (
    record.verification !== 'attested' &&
    !lacksEvidence(record.verification) &&
    !saysSame(record, transaction) &&
    saysSame(
      { ...record, transfers: logged(record.transfers), participants: [] },
      { ...transaction, transfers: logged(transaction.transfers) },
    )
  );
}

/** What stands behind a reading where it meets a record: that no contract moved a coin is a node's word, as that one did. */
function verificationAgainst(record: TransactionState, transaction: Transaction): Verification {
  const verification = verificationFor(
    transaction,
    new Set(record.participants.map(({ address }) => address)),
  );
  const isWord =
    record.verification === 'attested' &&
    record.transfers.some(({ type }) => type === 'internal') &&
    !saysSame(record, transaction);
  return isWord && verification === 'proved' ? 'attested' : verification;
}

/** Whether the block holds nothing unknown and no evidence of it is missing: a transaction that it does not show is not there. */
export function isWhole({ unknowns, verification }: Pick<Block, 'unknowns' | 'verification'>): boolean {
  return (unknowns?.length ?? 0) === 0 && !lacksEvidence(verification);
}
