import { transactionIdOf } from '@chainwatch/events';
import type { BalanceReads } from './balance-read.ts';
import type { MatchedTransaction } from './matched-transaction.ts';
import type { PlannedEvent } from './planned-event.ts';
import type { TransactionState, TransactionStatus } from './transaction-state.ts';

/** What the database holds of a transaction that matched. */
export interface ExistingTransaction {
  readonly id: string;
  readonly status: TransactionStatus;
  readonly epoch: number;
  readonly blockHash?: string;
  readonly detectedAt: Date;
}

export interface WritePlan {
  /** Rows to insert, or to begin anew after a reorg. */
  readonly upserts: readonly TransactionState[];
  /** Records in this very block that may gain transfers or addresses: no event, it was told already. */
  readonly merges: readonly Merge[];
  /** Transfers and addresses of the earlier block that go. */
  readonly resetIds: readonly string[];
  readonly events: readonly PlannedEvent[];
}

/** A record, and what was read of its transaction again. */
export interface Merge {
  readonly state: TransactionState;
  readonly match: MatchedTransaction;
}

interface PlanContext {
  readonly chainGid: string;
  readonly requiredConfirmations: number;
  /** When it is detected, unless it was told before. */
  readonly now: Date;
}

/**
 * Decides for each match whether it is new, mined again after a reorg, or known. `late` are those of blocks already
 * passed, found for addresses that were registered meanwhile; they come first.
 */
export function planWrites(
  late: readonly MatchedTransaction[],
  matches: readonly MatchedTransaction[],
  existing: ReadonlyMap<string, ExistingTransaction>,
  context: PlanContext,
): WritePlan {
  const upserts: TransactionState[] = [];
  const merges: Merge[] = [];
  const resetIds: string[] = [];
  const events: PlannedEvent[] = [];
  const planned = new Set<string>();
  for (const match of [...late, ...matches]) {
    const id = transactionIdOf(match.projectId, context.chainGid, match.transaction.hash);
    // A late address and a block of the same step may find it twice.
    if (planned.has(id)) continue;
    planned.add(id);
    const known = existing.get(id);
    const isLive = known !== undefined && isTold(known);
    const state = stateOf(
      id,
      match,
      known?.epoch ?? 0,
      isLive ? { ...context, now: known.detectedAt } : context,
    );
    if (isLive && known.blockHash === match.block.hash) {
      merges.push({ state, match });
      continue;
    }
    // It stands in another block of the feed: that block's reorg is still to come and brings it here in order.
    if (isLive && known.blockHash !== undefined && late.includes(match)) continue;
    if (known !== undefined) resetIds.push(id);
    upserts.push(state);
    // Told already, from the mempool or from a block whose reorg this chain never saw.
    if (isLive && !(known.status === 'pending' && state.isFailed)) continue;
    const type = state.isFailed ? 'transaction.failed' : 'transaction.detected';
    events.push({
      type,
      state,
      ...(match.traceparent === undefined ? {} : { traceparent: match.traceparent }),
    });
  }
  return { upserts, merges, resetIds, events };
}

/** Its project was told of it and not yet that it is undone: by a reorg, or dropped from the mempool before it was mined. */
function isTold({ status, blockHash }: Pick<ExistingTransaction, 'status' | 'blockHash'>): boolean {
  return status !== 'reorged' && !(status === 'failed' && blockHash === undefined);
}

/** Native coin and every moved asset of every address that took part: `atBlock` at their block, otherwise at the head. */
export function addDetectedReads(
  reads: BalanceReads,
  matches: readonly MatchedTransaction[],
  nativeGid: string,
  atBlock: boolean,
): void {
  for (const { block, transfers, participants, traceparent } of matches) {
    const common = {
      reason: 'detected',
      ...(atBlock ? { block } : {}),
      ...(traceparent === undefined ? {} : { traceparent }),
    } as const;
    for (const { id: addressId, address } of participants) {
      reads.add({ addressId, assetGid: nativeGid, ...common });
      for (const { assetGid, monitored } of transfers) {
        if (assetGid !== nativeGid && monitored.includes(address))
          reads.add({ addressId, assetGid, ...common });
      }
    }
  }
}

/** What waits in the mempool: nobody is told twice, and what stands in a block already stays as it is. */
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
    const wasTold = known !== undefined && isTold(known);
    if (wasTold && known.status !== 'pending') continue;
    const {
      blockNumber: _number,
      blockHash: _hash,
      blockTimestamp: _timestamp,
      txIndex: _index,
      ...rest
    } = stateOf(id, match, known?.epoch ?? 0, context);
    const state: TransactionState = {
      ...rest,
      status: 'pending',
      ...(wasTold ? { detectedAt: known.detectedAt } : {}),
    };
    if (known !== undefined) resetIds.push(id);
    upserts.push(state);
    if (!wasTold) events.push({ type: 'transaction.detected', state });
  }
  return { upserts, resetIds, events };
}

function stateOf(
  id: string,
  match: MatchedTransaction,
  epoch: number,
  context: PlanContext,
): TransactionState {
  const { block, transaction } = match;
  return {
    id,
    projectId: match.projectId,
    hash: transaction.hash,
    status: transaction.isFailed ? 'failed' : 'detected',
    direction: match.direction,
    epoch,
    isFailed: transaction.isFailed,
    isUnproved: transaction.isUnproved === true,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    txIndex: transaction.index,
    requiredConfirmations: context.requiredConfirmations,
    ...(transaction.fee === undefined ? {} : { fee: transaction.fee }),
    detectedAt: context.now,
    transfers: match.transfers,
    participants: match.participants,
  };
}
