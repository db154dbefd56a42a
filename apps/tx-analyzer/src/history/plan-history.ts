// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence } from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { ExistingTransaction, Merge } from '../commit/plan-writes.ts';
import { isNotified, stateOf } from '../commit/plan-writes.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import type { TransactionState } from '../model/transaction-state.ts';

export interface HistoryPlan {
  /** Rows to insert, or to begin anew. */
  readonly upserts: readonly TransactionState[];
  /** Records in this very block that may gain transfers or addresses; no event, because it was sent already. */
  readonly merges: readonly Merge[];
  /** Records whose transfers and addresses of an orphan are deleted. */
  readonly resetIds: readonly string[];
  /** Those of `upserts` that `transaction.confirmed` is sent for. */
  readonly confirmed: readonly TransactionState[];
}

interface PlanContext {
  readonly chainGid: string;
  readonly requiredConfirmations: number;
  readonly now: Date;
}

/**
 * Decides for each match in a final block whether it is new or known. What the head recorded in another block is the
 * head's: the reorg that brings it here is still to come. What is unproved is confirmed like anything else that waits for
 * its proof; what failed was no payment, and nobody is notified of it.
 */
export function planHistory(
  matches: readonly MatchedTransaction[],
  existing: ReadonlyMap<string, ExistingTransaction>,
  { chainGid, requiredConfirmations, now }: PlanContext,
): HistoryPlan {
  const upserts = new Map<string, TransactionState>();
  const merges = new Map<string, Merge>();
  const resetIds: string[] = [];
  for (const match of matches) {
    const id = transactionIdOf(match.projectId, chainGid, match.transaction.hash);
    if (upserts.has(id) || merges.has(id)) continue;
    const known = existing.get(id);
    const isLive = known !== undefined && isNotified(known);
    const state = stateOf(match, {
      chainGid,
      requiredConfirmations,
      // What is final is confirmed, whatever the policy of its project.
      depths: new Map(),
      id,
      known,
      now: isLive ? known.detectedAt : now,
    });
    if (isLive) {
      if (known.blockHash === match.block.hash) merges.set(id, { state, match });
      continue;
    }
    if (known !== undefined) resetIds.push(id);
    upserts.set(id, lacksEvidence(state.verification) ? state : confirm(state, now));
  }
  const all = [...upserts.values()];
  return {
    upserts: all,
    merges: [...merges.values()],
    resetIds,
    confirmed: all.filter(({ status }) => status === 'confirmed'),
  };
}

function confirm(state: TransactionState, now: Date): TransactionState {
  return { ...state, status: state.isFailed ? 'failed' : 'confirmed', confirmedAt: now };
}
