// SPDX-License-Identifier: Apache-2.0
import { compareAmounts, formatAmount } from '@chainwatch/common/amounts';
import { lacksEvidence } from '@chainwatch/chain-core';
import { splitAssetGid } from '@chainwatch/common/caip';
import type { Sql } from '@chainwatch/data/db';
import { isNewEvent, withoutRepeats } from '@chainwatch/data/outbox';
import type { BalanceRead, BlockChange, BlocksStep, NewAsset } from '../model/blocks-step.ts';
import { multiplierJson } from '../match/refresh-multipliers.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransfer } from '../model/matched-transaction.ts';
import type { StoredEvent } from '../model/planned-event.ts';
import { SqlParams } from '../model/sql-params.ts';
import { awaitsOthers } from './write-attested.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { unwatchedOf } from './tombstones.ts';

/** Canonical addresses contain no comma: a list of lists is sent as one array of joined texts. */
const JOINER = ',';

export function insertAssetsSql(params: SqlParams, chain: ChainContext, assets: readonly NewAsset[]): string {
  const source = params.unnest(assets, [
    ['text', (asset) => asset.gid],
    ['text', (asset) => splitAssetGid(asset.gid).namespace],
    ['text', (asset) => splitAssetGid(asset.gid).reference],
    ['text', (asset) => asset.status],
    ['text', (asset) => asset.metadata?.name ?? null],
    ['text', (asset) => asset.metadata?.symbol ?? null],
    ['integer', (asset) => asset.metadata?.decimals ?? null],
    ['text', (asset) => (asset.metadata?.isNft === true ? 'nft' : 'fungible')],
    ['text', (asset) => multiplierJson(asset.metadata)],
  ]);
  return `INSERT INTO assets (chain_gid, gid, namespace, reference, status, name, symbol, decimals, type, ui_multiplier, ui_read_at)
    SELECT ${params.add(chain.gid, 'text')}, gid, namespace, reference, status, name, symbol, decimals, type, multiplier::jsonb,
      CASE WHEN multiplier IS NOT NULL THEN now() END
    FROM ${source} AS s (gid, namespace, reference, status, name, symbol, decimals, type, multiplier) ON CONFLICT (gid) DO NOTHING`;
}

export function upsertTransactionsSql(
  params: SqlParams,
  chain: ChainContext,
  states: readonly TransactionState[],
): string {
  const source = params.unnest(states, [
    ['uuid', (state) => state.id],
    ['uuid', (state) => state.projectId],
    ['text', (state) => state.hash],
    ['text', (state) => state.status],
    ['text', (state) => state.direction],
    ['integer', (state) => state.epoch],
    ['boolean', (state) => state.isFailed],
    ['boolean', (state) => lacksEvidence(state.verification)],
    ['boolean', (state) => isWithheld(chain, state)],
    ['text', (state) => state.verification],
    ['bigint', (state) => state.blockNumber ?? null],
    ['text', (state) => state.blockHash ?? null],
    ['double precision', (state) => state.blockTimestamp ?? null],
    ['integer', (state) => state.txIndex ?? null],
    ['integer', (state) => state.requiredConfirmations],
    ['integer', (state) => state.confirmationDepth ?? null],
    ['text', (state) => state.fee?.assetGid ?? null],
    ['numeric', (state) => state.fee?.amountRaw.toString() ?? null],
    ['text', (state) => state.fee?.payer ?? null],
    ['text', (state) => state.memo ?? null],
    ['bigint', (state) => state.maturesAtBlock ?? null],
    ['timestamptz', (state) => state.detectedAt.toISOString()],
    ['numeric', (state) => findAmountMax(state.transfers, chain) ?? null],
    ['timestamptz', (state) => state.confirmedAt?.toISOString() ?? null],
  ]);
  return `INSERT INTO transactions AS t (chain_gid, id, project_id, hash, status, direction, epoch, is_failed, is_unproved, is_withheld, verification, block_number, block_hash,
      block_timestamp, tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, matures_at_block, detected_at, amount_max, confirmed_at)
    SELECT ${params.add(chain.gid, 'text')}, id, project_id, hash, status, direction, epoch, is_failed, is_unproved, is_withheld, verification, block_number, block_hash,
      to_timestamp(block_timestamp), tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, matures_at_block, detected_at, amount_max, confirmed_at
    FROM ${source} AS s (id, project_id, hash, status, direction, epoch, is_failed, is_unproved, is_withheld, verification, block_number, block_hash,
      block_timestamp, tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, matures_at_block, detected_at, amount_max, confirmed_at)
    ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, is_failed = EXCLUDED.is_failed,
      is_unproved = EXCLUDED.is_unproved, is_withheld = EXCLUDED.is_withheld, verification = EXCLUDED.verification,
      block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, block_timestamp = EXCLUDED.block_timestamp,
      tx_index = EXCLUDED.tx_index, fee_asset_gid = EXCLUDED.fee_asset_gid, fee_amount_raw = EXCLUDED.fee_amount_raw,
      fee_payer = EXCLUDED.fee_payer, memo = EXCLUDED.memo, matures_at_block = EXCLUDED.matures_at_block, replaced_by = NULL, detected_at = EXCLUDED.detected_at, confirmed_at = EXCLUDED.confirmed_at, reorged_at = NULL,
      amount_max = EXCLUDED.amount_max,
      direction = CASE WHEN EXISTS (SELECT FROM (${unwatchedOf('ARRAY[t.id]')}) u) THEN t.direction ELSE EXCLUDED.direction END`;
}

/** Whether it is not confirmed for now, whatever is final. History confirms at once, after it asked. */
function isWithheld(
  chain: ChainContext,
  { verification, blockHash, confirmedAt }: TransactionState,
): boolean {
  if (lacksEvidence(verification)) return true;
  return blockHash !== undefined && confirmedAt === undefined && awaitsOthers(chain, verification);
}

/**
 * The largest amount that a transaction moved, in whole units; undefined where it moved none, more than any while the
 * decimals of an asset are not known: it may be enough for everybody. A collection moves no amount. Where a project pays others out of its outputs, input and change moved nothing (as set_amount_max in the database).
 */
export function findAmountMax(
  transfers: readonly MatchedTransfer[],
  { decimalsOf, isNft }: Pick<ChainContext, 'decimalsOf' | 'isNft'>,
): string | undefined {
  const paidOthers = transfers.filter(({ monitored }) => monitored.length === 0);
  let max: string | undefined;
  for (const { assetGid, amountRaw } of paidOthers.length > 0 ? paidOthers : transfers) {
    if (isNft(assetGid)) continue;
    const decimals = decimalsOf(assetGid);
    if (decimals === undefined) return 'Infinity';
    const amount = formatAmount(amountRaw, decimals);
    if (max === undefined || compareAmounts(amount, max) > 0) max = amount;
  }
  return max;
}

export function insertTransfersSql(
  params: SqlParams,
  chain: ChainContext,
  states: readonly TransactionState[],
): string {
  const rows = states.flatMap((state) => state.transfers.map((transfer) => ({ state, transfer })));
  const source = params.unnest(rows, [
    ['uuid', ({ state }) => state.id],
    ['integer', ({ transfer }) => transfer.index],
    ['uuid', ({ state }) => state.projectId],
    ['text', ({ transfer }) => transfer.type],
    ['text', ({ transfer }) => transfer.assetGid],
    ['text', ({ transfer }) => transfer.from ?? null],
    ['text', ({ transfer }) => transfer.to ?? null],
    ['numeric', ({ transfer }) => transfer.amountRaw.toString()],
    ['integer', ({ transfer }) => transfer.logIndex ?? null],
    ['text', ({ transfer }) => transfer.memo ?? null],
    ['text', ({ transfer }) => transfer.monitored.join(JOINER)],
    ['timestamptz', ({ state }) => state.detectedAt.toISOString()],
  ]);
  return `INSERT INTO transfers AS t (chain_gid, transaction_id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, memo, monitored_addresses, detected_at)
    SELECT ${params.add(chain.gid, 'text')}, id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, memo, string_to_array(monitored, '${JOINER}'), detected_at
    FROM ${source} AS s (id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, memo, monitored, detected_at)
    ON CONFLICT (transaction_id, index) DO UPDATE
      SET monitored_addresses = ARRAY(SELECT DISTINCT unnest(t.monitored_addresses || EXCLUDED.monitored_addresses))`;
}

export function insertTransactionAddressesSql(
  params: SqlParams,
  states: readonly TransactionState[],
): string {
  const rows = states.flatMap((state) => state.participants.map((participant) => ({ state, participant })));
  const source = params.unnest(rows, [
    ['uuid', ({ participant }) => participant.id],
    ['uuid', ({ state }) => state.id],
    ['timestamptz', ({ state }) => state.detectedAt.toISOString()],
    ['bigint', ({ state }) => positionOf(state)],
  ]);
  return `INSERT INTO transaction_addresses (address_id, transaction_id, detected_at, block_position, public_key_id)
    SELECT s.*, (SELECT a.public_key_id FROM addresses a WHERE a.id = s.address_id)
    FROM ${source} AS s (address_id, transaction_id, detected_at, block_position) ON CONFLICT DO NOTHING`;
}

/** Where a transaction stands in the order of blocks, as transactions.block_position says. */
function positionOf({ blockNumber, status }: TransactionState): number {
  return blockNumber ?? (status === 'pending' ? Number.MAX_SAFE_INTEGER : -1);
}

/** A block that is read again may tell more of it. */
export function upsertBlockChangesSql(
  params: SqlParams,
  chainGid: string,
  changes: readonly BlockChange[],
): string {
  const source = params.unnest(changes, [
    ['uuid', (change) => change.addressId],
    ['text', (change) => change.assetGid],
    ['bigint', (change) => change.block.number],
    ['text', (change) => change.block.hash],
    ['text', (change) => change.reason],
    ['numeric', (change) => change.amountRaw.toString()],
  ]);
  return `INSERT INTO block_changes (chain_gid, address_id, asset_gid, block_number, block_hash, reason, amount_raw)
    SELECT ${params.add(chainGid, 'text')}, * FROM ${source}
    ON CONFLICT (address_id, asset_gid, block_number, block_hash, reason) DO UPDATE SET amount_raw = EXCLUDED.amount_raw`;
}

/** Writes events into the outbox, in order. An event that is there already stays as it is. */
export async function insertEvents(sql: Sql, events: readonly StoredEvent[], isHeld: boolean): Promise<void> {
  if (events.length === 0) return;
  const params = new SqlParams();
  await sql.query({
    name: 'insert_events',
    text: insertEventsSql(params, events, isHeld),
    values: params.values,
  });
}

/** The statement, so that it can be part of a larger one. */
export function insertEventsSql(params: SqlParams, stored: readonly StoredEvent[], isHeld: boolean): string {
  const events = withoutRepeats(stored);
  const source = params.unnest(events, [
    ['uuid', (event) => event.eventId],
    ['uuid', (event) => event.projectId],
    ['text', (event) => event.chainGid],
    ['text', (event) => event.type],
    ['bigint', (event) => event.sequence],
    ['uuid', (event) => event.transactionId],
    ['text', (event) => event.subject],
    ['text', (event) => event.traceparent ?? null],
    // The time shown in the event: lists filter and sort by it.
    ['timestamptz', (event) => event.envelope.created_at],
  ]);
  const payloads = params.add(encodeTextArray(events.map((event) => event.payload)), 'text[]');
  return `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, traceparent, created_at, payload, is_held)
    SELECT *, ${params.add(isHeld, 'boolean')} FROM ROWS FROM (${source}, unnest(${payloads})) AS n (event_id)
    WHERE ${isNewEvent('n.event_id')} ON CONFLICT DO NOTHING`;
}

const TEXT_OID = 25;
const HEADER_BYTES = 20;

/**
 * A `text[]` in PostgreSQL's binary format (array_recv: dimensions, has-null flag, element type, length, lower bound,
 * then each element's length and bytes). The driver sends a buffer as it is, where an array of long texts would be
 * escaped character by character into one huge string.
 */
function encodeTextArray(texts: readonly string[]): Buffer {
  const byteLengths = texts.map((text) => Buffer.byteLength(text));
  const buffer = Buffer.allocUnsafe(
    HEADER_BYTES + byteLengths.reduce((total, bytes) => total + 4 + bytes, 0),
  );
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeInt32BE(TEXT_OID, at);
  at = buffer.writeInt32BE(texts.length, at);
  at = buffer.writeInt32BE(1, at);
  for (const [position, text] of texts.entries()) {
    at = buffer.writeInt32BE(byteLengths[position]!, at);
    at += buffer.write(text, at);
  }
  return buffer;
}

/** Adds the events of a step to the counters of their projects, which are locked. */
export function addSequencesSql(
  params: SqlParams,
  chain: ChainContext,
  counts: ReadonlyMap<string, number>,
): string {
  const source = params.unnest(
    [...counts],
    [
      ['uuid', ([projectId]) => projectId],
      ['bigint', ([, count]) => count],
    ],
  );
  return `UPDATE project_sequences p SET value = p.value + n.count FROM ${source} AS n (project_id, count)
    WHERE p.project_id = n.project_id AND p.chain_gid = ${params.add(chain.gid, 'text')}`;
}

/**
 * Reads the holders of a touched asset only if the asset is active. It does not check for holders: an import may be
 * reading the first one just before this block, and then only this row records that the balance changed.
 */
export function insertReadsSql(params: SqlParams, chainGid: string, step: BlocksStep): string {
  const fresh = step.newAssets.filter((asset) => asset.status === 'active').map((asset) => asset.gid);
  return `${insertBalanceReadsSql(params, chainGid, step.reads)}
    WHERE r.address_id IS NOT NULL OR r.asset_gid = ANY(${params.add(fresh, 'text[]')})
      OR EXISTS (SELECT 1 FROM assets a WHERE a.gid = r.asset_gid AND a.status = 'active')`;
}

/** The inserting statement; a condition on `r` (address_id, asset_gid, …) may follow. */
export function insertBalanceReadsSql(
  params: SqlParams,
  chainGid: string,
  reads: readonly BalanceRead[],
): string {
  const source = params.unnest(reads, [
    ['uuid', (read) => read.addressId ?? null],
    ['text', (read) => read.assetGid],
    ['bigint', (read) => read.block?.number ?? null],
    ['text', (read) => read.block?.hash ?? null],
    ['text', (read) => read.reason],
    ['text', (read) => read.traceparent ?? null],
  ]);
  return `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent)
    SELECT ${params.add(chainGid, 'text')}, r.* FROM ${source} AS r (address_id, asset_gid, block_number, block_hash, reason, traceparent)`;
}
