// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount } from '@chainwatch/common/amounts';
import type { Sql } from '@chainwatch/data/db';
import { describeAddresses, EVENT_ITEMS_MAX, eventIdOf, EVENTS } from '@chainwatch/events';
import type {
  BalanceChangeRecord,
  TransactionEventType,
  TransactionRecord,
  TransferRecord,
} from '@chainwatch/events';
import { allocateSequences } from '@chainwatch/data/outbox';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import type { OutboxEvent, PlannedEvent, TransactionEvent } from '../model/planned-event.ts';
import type { MatchedTransfer, Participant } from '../model/matched-transaction.ts';
import type { TransactionState } from '../model/transaction-state.ts';

export interface EventContext {
  readonly chainGid: string;
  readonly type: TransactionEventType;
  /** Grows by one per project and chain; null for history. */
  readonly sequence: number | null;
  /** Height that confirmations are counted at. */
  readonly headNumber: number;
  readonly createdAt: Date;
  /** The form of an address that records show. */
  displayOf(address: string): string;
  /** Undefined while the token's metadata is not known: amounts are null then. */
  decimalsOf(assetGid: string): number | undefined;
  isNft(assetGid: string): boolean;
}

interface Numbering {
  /** Height that confirmations are counted at. */
  readonly headNumber: number;
  readonly createdAt: Date;
}

/**
 * Gives planned events their sequences and builds them. One counter per project and chain, locked until the
 * transaction ends.
 */
export async function numberEvents(
  { sql, chain }: Pick<StepTransaction, 'chain'> & { readonly sql: Sql },
  planned: readonly PlannedEvent[],
  numbering: Numbering,
): Promise<OutboxEvent[]> {
  if (planned.length === 0) return [];
  const projectIds = planned.map(({ state }) => state.projectId);
  return buildEvents(chain, planned, {
    ...numbering,
    sequences: await allocateSequences(sql, chain.gid, projectIds),
  });
}

/** `sequences`: of each event, in their order. */
export function buildEvents(
  chain: ChainContext,
  planned: readonly PlannedEvent[],
  { sequences, headNumber, createdAt }: Numbering & { readonly sequences: readonly number[] },
): OutboxEvent[] {
  return planned.map(({ type, state, traceparent }, position) => {
    const sequence = sequences[position]!;
    const envelope = buildEvent(state, {
      chainGid: chain.gid,
      type,
      sequence,
      headNumber,
      createdAt,
      displayOf: chain.displayOf,
      decimalsOf: chain.decimalsOf,
      isNft: chain.isNft,
    });
    return {
      eventId: envelope.event_id,
      projectId: state.projectId,
      chainGid: chain.gid,
      type,
      subject: EVENTS[type].subject,
      sequence,
      transactionId: state.id,
      envelope,
      payload: JSON.stringify(envelope),
      traceparent,
    };
  });
}

/** The envelope of decisions.md §4. */
export function buildEvent(state: TransactionState, context: EventContext): TransactionEvent {
  const { type, chainGid } = context;
  const changes = sumBalanceChanges(state, context);
  const addresses = describeAddresses(
    shownFirst(state).map(({ id, address, own }) => ({ id, display: context.displayOf(address), own })),
  );
  const leavesOutAddresses = addresses.length < listTold(state).length;
  return {
    event_id: eventIdOf({
      projectId: state.projectId,
      type,
      chainGid,
      hash: state.hash,
      epoch: state.epoch,
      confirmations:
        type === 'transaction.progress' ? countConfirmations(state, context.headNumber) : undefined,
    }),
    type,
    api_version: 'v1',
    created_at: context.createdAt.toISOString(),
    is_test_message: false,
    project_id: state.projectId,
    sequence: context.sequence,
    ...(context.sequence === null ? { is_historical: true as const } : {}),
    data: {
      transaction: buildRecord(state, context),
      balance_changes: changes.slice(0, EVENT_ITEMS_MAX),
      addresses,
      truncated: Math.max(state.transfers.length, changes.length) > EVENT_ITEMS_MAX || leavesOutAddresses,
      ...(leavesOutAddresses && { addresses_truncated: true }),
    },
  };
}

/** Blocks that hold it, its own included. */
export function countConfirmations({ status, blockNumber }: TransactionState, headNumber: number): number {
  return status === 'reorged' || blockNumber === undefined ? 0 : Math.max(1, headNumber - blockNumber + 1);
}

function buildRecord(state: TransactionState, context: EventContext): TransactionRecord {
  const { fee } = state;
  return {
    id: state.id,
    chain_gid: context.chainGid,
    hash: state.hash,
    status: state.status,
    direction: state.direction,
    block_number: state.blockNumber ?? null,
    block_hash: state.blockHash ?? null,
    block_timestamp:
      state.blockTimestamp === undefined ? null : new Date(state.blockTimestamp * 1000).toISOString(),
    tx_index: state.txIndex ?? null,
    confirmations: countConfirmations(state, context.headNumber),
    required_confirmations: state.requiredConfirmations,
    fee:
      fee === undefined
        ? null
        : {
            asset_gid: fee.assetGid,
            amount: formatKnownAmount(fee.amountRaw, context.decimalsOf(fee.assetGid)),
            amount_raw: String(fee.amountRaw),
          },
    memo: state.memo ?? null,
    matures_at_block: state.maturesAtBlock ?? null,
    transfers: state.transfers.slice(0, EVENT_ITEMS_MAX).map((transfer) => buildTransfer(transfer, context)),
    replaced_by: state.replacedBy ?? null,
    verification: state.verification,
    detected_at: state.detectedAt.toISOString(),
    confirmed_at: state.confirmedAt?.toISOString() ?? null,
    reorged_at: state.reorgedAt?.toISOString() ?? null,
  };
}

function buildTransfer(transfer: MatchedTransfer, context: EventContext): TransferRecord {
  const isNft = context.isNft(transfer.assetGid);
  const decimals = isNft ? undefined : context.decimalsOf(transfer.assetGid);
  return {
    index: transfer.index,
    type: isNft ? 'nft' : transfer.type,
    asset_gid: transfer.assetGid,
    from: transfer.from === undefined ? null : context.displayOf(transfer.from),
    to: transfer.to === undefined ? null : context.displayOf(transfer.to),
    amount: formatKnownAmount(transfer.amountRaw, decimals),
    amount_raw: isNft ? '0' : String(transfer.amountRaw),
    decimals: decimals ?? null,
    log_index: transfer.logIndex ?? null,
    memo: transfer.memo ?? null,
    monitored_addresses: transfer.monitored.map((address) => context.displayOf(address)),
  };
}

/**
 * All who take part. One that was deleted and added again was told as the deleted one: its later events go on with that,
 * and no amount is told twice.
 */
function listTold({ participants }: TransactionState): readonly Participant[] {
  const deleted = new Set(participants.filter(({ isDeleted }) => isDeleted).map(({ address }) => address));
  return participants.filter(({ address, isDeleted = false }) => isDeleted || !deleted.has(address));
}

/** All who are told; where there are too many, those of the transfers that an event carries come first. */
function shownFirst(state: TransactionState): readonly Participant[] {
  const participants = listTold(state);
  const { transfers } = state;
  if (participants.length <= EVENT_ITEMS_MAX) return participants;
  const shown = new Set(transfers.slice(0, EVENT_ITEMS_MAX).flatMap(({ monitored }) => monitored));
  const isShown = ({ address }: Participant): boolean => shown.has(address);
  return [...participants.filter(isShown), ...participants.filter((one) => !isShown(one))];
}

/**
 * Per monitored address and asset: incoming minus outgoing amounts, minus the fee for its payer. Where there are more
 * than an event carries, one more of them at least.
 */
function sumBalanceChanges(state: TransactionState, context: EventContext): BalanceChangeRecord[] {
  const changes: BalanceChangeRecord[] = [];
  for (const { id, address } of shownFirst(state)) {
    if (changes.length > EVENT_ITEMS_MAX) break;
    const deltas = new Map<string, bigint>();
    const add = (assetGid: string, amountRaw: bigint): void =>
      void deltas.set(assetGid, (deltas.get(assetGid) ?? 0n) + amountRaw);
    for (const transfer of state.transfers) {
      if (!transfer.monitored.includes(address) || context.isNft(transfer.assetGid)) continue;
      if (transfer.to === address) add(transfer.assetGid, transfer.amountRaw);
      if (transfer.from === address) add(transfer.assetGid, -transfer.amountRaw);
    }
    if (state.fee?.payer === address) add(state.fee.assetGid, -state.fee.amountRaw);
    for (const [assetGid, delta] of deltas) {
      const decimals = context.decimalsOf(assetGid);
      changes.push({
        address_id: id,
        address: context.displayOf(address),
        asset_gid: assetGid,
        delta: formatKnownAmount(delta, decimals),
        delta_raw: String(delta),
      });
    }
  }
  return changes;
}
