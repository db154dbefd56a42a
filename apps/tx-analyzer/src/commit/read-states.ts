// SPDX-License-Identifier: Apache-2.0
import type { Verification } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { OWN_DATA_COLUMNS, ownDataOf, type OwnDataRow } from '@chainwatch/data/outbox';
import type { ChainContext } from '../model/chain-context.ts';
import { toldTombstonesOf } from './tombstones.ts';
import { verificationSql } from '../model/verification-sql.ts';
import type { Direction, MatchedTransfer } from '../model/matched-transaction.ts';
import type { TransactionState, TransactionStatus } from '../model/transaction-state.ts';

/** Columns of transactions that `stateOfRow` reads. */
export const STATE_COLUMNS = `id, project_id, hash, status, direction, epoch, is_failed, ${verificationSql()} AS verification, block_number, block_hash, block_timestamp, tx_index,
  required_confirmations, fee_asset_gid, fee_amount_raw, fee_payer, memo, matures_at_block, replaced_by, detected_at, confirmed_at, reorged_at`;

export interface TransactionRow {
  readonly id: string;
  readonly project_id: string;
  readonly hash: string;
  readonly status: TransactionStatus;
  readonly direction: Direction;
  readonly epoch: number;
  readonly is_failed: boolean;
  readonly verification: Verification;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly block_timestamp: Date | null;
  readonly tx_index: number | null;
  readonly required_confirmations: number;
  readonly fee_asset_gid: string | null;
  readonly fee_amount_raw: string | null;
  readonly fee_payer: string | null;
  readonly memo: string | null;
  readonly matures_at_block: number | null;
  readonly replaced_by: string | null;
  readonly detected_at: Date;
  readonly confirmed_at: Date | null;
  readonly reorged_at: Date | null;
}

interface TransferRow {
  readonly transaction_id: string;
  readonly index: number;
  readonly type: 'native' | 'token' | 'internal';
  readonly asset_gid: string;
  readonly from_address: string | null;
  readonly to_address: string | null;
  readonly amount_raw: string;
  readonly log_index: number | null;
  readonly memo: string | null;
  readonly monitored_addresses: string[];
}

interface ParticipantRow extends OwnDataRow {
  readonly transaction_id: string;
  readonly id: string;
  readonly address: string;
  readonly is_deleted: boolean;
}

/** Completes rows of transactions with their transfers and addresses, in the order of `rows`. */
export async function readStates(
  sql: Sql,
  rows: readonly TransactionRow[],
  learn: (assetGid: string, decimals: number) => void,
): Promise<TransactionState[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const transfers = await sql.query<TransferRow & { decimals: number | null }>({
    name: 'read_transfers_memo',
    text: `SELECT t.transaction_id, t.index, t.type, t.asset_gid, t.from_address, t.to_address, t.amount_raw, t.log_index, t.memo, t.monitored_addresses, a.decimals
           FROM transfers t LEFT JOIN assets a ON a.gid = t.asset_gid WHERE t.transaction_id = ANY($1::uuid[]) ORDER BY t.transaction_id, t.index`,
    values: [ids],
  });
  const addresses = await sql.query<ParticipantRow>({
    name: 'read_participants',
    text: `SELECT ta.transaction_id, a.id, a.address, false AS is_deleted, ${OWN_DATA_COLUMNS} FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id
           WHERE ta.transaction_id = ANY($1::uuid[])
           UNION ALL SELECT transaction_id, address_id, address, true, NULL, groups, NULL FROM ${toldTombstonesOf('$1::uuid[]')}
           ORDER BY address`,
    values: [ids],
  });
  for (const { asset_gid, decimals } of transfers.rows) if (decimals !== null) learn(asset_gid, decimals);
  const transfersById = groupById(transfers.rows);
  const addressesById = groupById(addresses.rows);
  return rows.map((row) => stateOfRow(row, transfersById.get(row.id) ?? [], addressesById.get(row.id) ?? []));
}

function groupById<T extends { transaction_id: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.transaction_id);
    if (group === undefined) groups.set(row.transaction_id, [row]);
    else group.push(row);
  }
  return groups;
}

function stateOfRow(
  row: TransactionRow,
  transfers: readonly TransferRow[],
  participants: readonly ParticipantRow[],
): TransactionState {
  const { fee_asset_gid, fee_amount_raw, fee_payer } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    hash: row.hash,
    status: row.status,
    direction: row.direction,
    epoch: row.epoch,
    isFailed: row.is_failed,
    verification: row.verification,
    ...(row.block_number === null ? {} : { blockNumber: row.block_number }),
    ...(row.block_hash === null ? {} : { blockHash: row.block_hash }),
    ...(row.block_timestamp === null ? {} : { blockTimestamp: row.block_timestamp.getTime() / 1000 }),
    ...(row.tx_index === null ? {} : { txIndex: row.tx_index }),
    requiredConfirmations: row.required_confirmations,
    ...(fee_asset_gid === null || fee_amount_raw === null
      ? {}
      : {
          fee: {
            assetGid: fee_asset_gid,
            amountRaw: BigInt(fee_amount_raw),
            ...(fee_payer === null ? {} : { payer: fee_payer }),
          },
        }),
    memo: row.memo ?? undefined,
    maturesAtBlock: row.matures_at_block ?? undefined,
    ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
    detectedAt: row.detected_at,
    ...(row.confirmed_at === null ? {} : { confirmedAt: row.confirmed_at }),
    ...(row.reorged_at === null ? {} : { reorgedAt: row.reorged_at }),
    transfers: transfers.map(transferOfRow),
    participants: participants.map((own) => ({
      id: own.id,
      address: own.address,
      own: ownDataOf(own),
      ...(own.is_deleted ? { isDeleted: true } : {}),
    })),
  };
}

function transferOfRow(row: TransferRow): MatchedTransfer {
  return {
    index: row.index,
    type: row.type,
    assetGid: row.asset_gid,
    ...(row.from_address === null ? {} : { from: row.from_address }),
    ...(row.to_address === null ? {} : { to: row.to_address }),
    amountRaw: BigInt(row.amount_raw),
    ...(row.log_index === null ? {} : { logIndex: row.log_index }),
    ...(row.memo === null ? {} : { memo: row.memo }),
    monitored: row.monitored_addresses,
  };
}

/** Orders rows of mined transactions as they stand in the chain. */
export function compareByPosition(a: TransactionRow, b: TransactionRow): number {
  return (a.block_number ?? 0) - (b.block_number ?? 0) || (a.tx_index ?? 0) - (b.tx_index ?? 0);
}

/** Every address that took part and is still there, with the native coin and what moved to or from it. */
export function heldPairs(
  chain: ChainContext,
  state: TransactionState,
): { addressId: string; assetGid: string }[] {
  const native = chain.network.native?.gid;
  return state.participants.flatMap(({ id: addressId, address, isDeleted = false }) => {
    if (isDeleted) return [];
    const moved = state.transfers
      .filter((transfer) => transfer.monitored.includes(address))
      .map((transfer) => transfer.assetGid);
    return [...new Set(native === undefined ? moved : [native, ...moved])].map((assetGid) => ({
      addressId,
      assetGid,
    }));
  });
}
