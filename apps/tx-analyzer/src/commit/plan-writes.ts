// SPDX-License-Identifier: Apache-2.0
import { decodeMemo, type Transaction } from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { MatchedTransaction, MatchedTransfer } from '../model/matched-transaction.ts';
import type { PlannedEvent } from '../model/planned-event.ts';
import type { TransactionState, TransactionStatus } from '../model/transaction-state.ts';

/** A matched transaction as the database has it. */
export interface ExistingTransaction {
  readonly id: string;
  readonly status: TransactionStatus;
  readonly epoch: number;
  readonly blockHash?: string | undefined;
  readonly detectedAt: Date;
  readonly requiredConfirmations: number;
  readonly confirmationDepth: number | undefined;
}

/** What is known before a step writes. */
export interface Existing {
  readonly transactions: ReadonlyMap<string, ExistingTransaction>;
  /** The last sequence of each project that has one on the chain; locked until the transaction ends. */
  readonly sequences: ReadonlyMap<string, number>;
  /** Confirmations that projects ask for on the chain, as the database has them now; others leave it to the chain. */
  readonly depths: ReadonlyMap<string, number>;
}

export interface WritePlan {
  /** Rows to insert, or to begin anew after a reorg. */
  readonly upserts: readonly TransactionState[];
  /** Records in this very block that may gain transfers or addresses; no event, because it was published already. */
  readonly merges: readonly Merge[];
  /** Records whose transfers and addresses of the earlier block are deleted. */
  readonly resetIds: readonly string[];
  readonly events: readonly PlannedEvent[];
}

/** A record, and the match from reading its transaction again. */
export interface Merge {
  readonly state: TransactionState;
  readonly match: MatchedTransaction;
}

interface PlanContext {
  readonly chainGid: string;
  /** `UtxoCodec.coinbaseMaturityOf`; absent for chains of accounts. */
  readonly coinbaseMaturity?: number | undefined;
  /** By the chain's own policy. */
  readonly requiredConfirmations: number;
  /** Confirmations that projects ask for instead, by project. */
  readonly depths: ReadonlyMap<string, number>;
  /** The time of detection, unless it was published before. */
  readonly now: Date;
}

interface Matched {
  readonly retroactive: readonly MatchedTransaction[];
  readonly matches: readonly MatchedTransaction[];
  readonly existing: ReadonlyMap<string, ExistingTransaction>;
}

/**
 * Decides for each match whether it is new, mined again after a reorg, or known. `retroactive` are matches in
 * blocks already passed, for addresses registered meanwhile; they come first.
 */
export function planWrites({ retroactive, matches, existing }: Matched, context: PlanContext): WritePlan {
  const upserts: TransactionState[] = [];
  const merges: Merge[] = [];
  const resetIds: string[] = [];
  const events: PlannedEvent[] = [];
  const planned = new Set<string>();
  for (const match of [...retroactive, ...matches]) {
    const id = transactionIdOf(match.projectId, context.chainGid, match.transaction.hash);
    // A retroactive address and a block of the same step may find it twice.
    if (planned.has(id)) continue;
    planned.add(id);
    const known = existing.get(id);
    const isLive = known !== undefined && isNotified(known);
    const state = stateOf(match, {
      ...context,
      id,
      known,
      ...(isLive ? { now: known.detectedAt } : {}),
    });
    if (isLive && known.blockHash === match.block.hash) {
      merges.push({ state, match });
      continue;
    }
    // It is recorded in another block of the feed: that block's reorg is still to come and will bring it here
    // in order.
    if (isLive && known.blockHash !== undefined && retroactive.includes(match)) continue;
    if (known !== undefined) resetIds.push(id);
    upserts.push(state);
    // Published already, from the mempool or from a block whose reorg this chain never saw.
    if (isLive && !(known.status === 'pending' && state.isFailed)) continue;
    const type = state.isFailed ? 'transaction.failed' : 'transaction.detected';
    events.push({
      type,
      state,
      traceparent: match.traceparent,
    });
  }
  return { upserts, merges, resetIds, events };
}

/** Whether its project was notified and no reorg or drop from the mempool has undone that since. */
export function isNotified({
  status,
  blockHash,
}: Pick<ExistingTransaction, 'status' | 'blockHash'>): boolean {
  return status !== 'reorged' && !(status === 'failed' && blockHash === undefined);
}

/** Plans records for the mempool: nobody is notified twice, and transactions already in a block stay as they are. */
export function planPending(
  matches: readonly MatchedTransaction[],
  existing: ReadonlyMap<string, ExistingTransaction>,
  context: PlanContext,
): Omit<WritePlan, 'merges'> {
  const upserts: TransactionState[] = [];
  const resetIds: string[] = [];
  const events: PlannedEvent[] = [];
  for (const match of matches) {
    const id = transactionIdOf(match.projectId, context.chainGid, match.transaction.hash);
    const known = existing.get(id);
    const wasNotified = known !== undefined && isNotified(known);
    if (wasNotified && known.status !== 'pending') continue;
    const {
      blockNumber: _number,
      blockHash: _hash,
      blockTimestamp: _timestamp,
      txIndex: _index,
      ...rest
    } = stateOf(match, { ...context, id, known });
    const state: TransactionState = {
      ...rest,
      status: 'pending',
      // One node's word: nothing proves a transaction that is in no block.
      verification: 'attested',
      ...(wasNotified ? { detectedAt: known.detectedAt } : {}),
    };
    if (known !== undefined) resetIds.push(id);
    upserts.push(state);
    if (!wasNotified) events.push({ type: 'transaction.detected', state });
  }
  return { upserts, resetIds, events };
}

interface Identified {
  readonly id: string;
  readonly known: ExistingTransaction | undefined;
}

export function stateOf(
  match: MatchedTransaction,
  { id, known, now, ...context }: PlanContext & Identified,
): TransactionState {
  const { block, transaction } = match;
  // The policy is that of the first detection, whatever came since.
  const depth = known === undefined ? context.depths.get(match.projectId) : known.confirmationDepth;
  return {
    id,
    projectId: match.projectId,
    hash: transaction.hash,
    status: transaction.isFailed ? 'failed' : 'detected',
    direction: match.direction,
    epoch: known?.epoch ?? 0,
    isFailed: transaction.isFailed,
    verification: transaction.verification ?? 'proved',
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    txIndex: transaction.index,
    requiredConfirmations: known?.requiredConfirmations ?? depth ?? context.requiredConfirmations,
    confirmationDepth: depth,
    fee: transaction.fee,
    memo: memoOf(transaction, match.transfers),
    maturesAtBlock:
      transaction.utxo?.isCoinbase === true && context.coinbaseMaturity !== undefined
        ? block.number + context.coinbaseMaturity
        : undefined,
    detectedAt: now,
    transfers: match.transfers,
    participants: match.participants,
  };
}

/** What the sender wrote into a transaction; else into its transfers, as far as the project sees them, one to a line. */
export function memoOf(
  { memo }: Pick<Transaction, 'memo'>,
  transfers: readonly Pick<MatchedTransfer, 'memo'>[],
): string | undefined {
  const lines = new Set(transfers.flatMap((transfer) => transfer.memo ?? []));
  return memo ?? decodeMemo(Array.from(lines, (line) => Buffer.from(line)));
}
