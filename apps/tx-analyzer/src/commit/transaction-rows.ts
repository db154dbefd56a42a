import type { ChainContext } from '../model/chain-context.ts';
import type { NewAsset } from '../model/blocks-step.ts';
import { splitAssetGid } from '@chainwatch/caip';
import { findAmountMax } from './find-amount-max.ts';
import type { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';

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
  ]);
  return `INSERT INTO assets (chain_gid, type, gid, namespace, reference, status, name, symbol, decimals)
    SELECT ${params.add(chain.gid, 'text')}, 'fungible', * FROM ${source} ON CONFLICT (gid) DO NOTHING`;
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
    ['boolean', (state) => state.isUnproved],
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
    ['timestamptz', (state) => state.detectedAt.toISOString()],
    ['numeric', (state) => findAmountMax(state.transfers, chain.decimalsOf) ?? null],
    ['timestamptz', (state) => state.confirmedAt?.toISOString() ?? null],
  ]);
  return `INSERT INTO transactions AS t (chain_gid, id, project_id, hash, status, direction, epoch, is_failed, is_unproved, is_withheld, block_number, block_hash,
      block_timestamp, tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, detected_at, amount_max, confirmed_at)
    SELECT ${params.add(chain.gid, 'text')}, id, project_id, hash, status, direction, epoch, is_failed, is_unproved, is_unproved, block_number, block_hash,
      to_timestamp(block_timestamp), tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, detected_at, amount_max, confirmed_at
    FROM ${source} AS s (id, project_id, hash, status, direction, epoch, is_failed, is_unproved, block_number, block_hash,
      block_timestamp, tx_index, required_confirmations, confirmation_depth, fee_asset_gid, fee_amount_raw, fee_payer, memo, detected_at, amount_max, confirmed_at)
    ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, direction = EXCLUDED.direction, is_failed = EXCLUDED.is_failed,
      is_unproved = EXCLUDED.is_unproved, is_withheld = EXCLUDED.is_withheld,
      block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, block_timestamp = EXCLUDED.block_timestamp,
      tx_index = EXCLUDED.tx_index, fee_asset_gid = EXCLUDED.fee_asset_gid, fee_amount_raw = EXCLUDED.fee_amount_raw,
      fee_payer = EXCLUDED.fee_payer, memo = EXCLUDED.memo, replaced_by = NULL, detected_at = EXCLUDED.detected_at, confirmed_at = EXCLUDED.confirmed_at, reorged_at = NULL,
      amount_max = EXCLUDED.amount_max`;
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
    ['text', ({ transfer }) => transfer.monitored.join(JOINER)],
    ['timestamptz', ({ state }) => state.detectedAt.toISOString()],
  ]);
  return `INSERT INTO transfers AS t (chain_gid, transaction_id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, monitored_addresses, detected_at)
    SELECT ${params.add(chain.gid, 'text')}, id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, string_to_array(monitored, '${JOINER}'), detected_at
    FROM ${source} AS s (id, index, project_id, type, asset_gid, from_address, to_address, amount_raw, log_index, monitored, detected_at)
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
