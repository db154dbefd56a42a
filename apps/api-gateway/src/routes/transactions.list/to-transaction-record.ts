// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount } from '@chainwatch/amounts';
import { splitChainGid } from '@chainwatch/caip';
import { findNetwork, findNotation } from '@chainwatch/chain-registry';
import type { TransactionRecord, TransferRecord } from '@chainwatch/events';
import type { TransactionRow, TransferRow } from './types.ts';

/** The record of decisions.md §3. */
export async function toTransactionRecord(
  row: TransactionRow,
  transfers: readonly TransferRow[],
): Promise<TransactionRecord> {
  const notation = await findNotation(splitChainGid(row.chain_gid).namespace);
  const displayAddress = spellOnce(notation?.displayAddress ?? ((address: string) => address));
  return {
    id: row.id,
    chain_gid: row.chain_gid,
    hash: row.hash,
    status: row.status,
    direction: row.direction,
    block_number: row.block_number,
    block_hash: row.block_hash,
    block_timestamp: row.block_timestamp?.toISOString() ?? null,
    tx_index: row.tx_index,
    confirmations: countConfirmations(row),
    required_confirmations: row.required_confirmations,
    fee: toFee(row),
    memo: row.memo,
    matures_at_block: row.matures_at_block,
    transfers: transfers.map((transfer) => toTransferRecord(transfer, displayAddress)),
    replaced_by: row.replaced_by,
    verification: row.verification ?? (row.is_unproved ? 'unproved' : 'proved'),
    detected_at: row.detected_at.toISOString(),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    reorged_at: row.reorged_at?.toISOString() ?? null,
  };
}

/** An address stands in a record several times, and EIP-55 takes a hash each time. */
function spellOnce(spell: (address: string) => string): (address: string) => string {
  const known = new Map<string, string>();
  return (address) => {
    const spelt = known.get(address) ?? spell(address);
    known.set(address, spelt);
    return spelt;
  };
}

/** Counts the transaction's own block and the head. */
function countConfirmations(row: TransactionRow): number {
  if (row.block_number === null || row.head_number === null || row.status === 'reorged') return 0;
  return Math.max(0, row.head_number - row.block_number + 1);
}

function toFee(row: TransactionRow): TransactionRecord['fee'] {
  if (row.fee_asset_gid === null || row.fee_amount_raw === null) return null;
  // The network tells the decimals of its coin if the asset row is missing.
  const { gid, decimals: ofNative } = findNetwork(row.chain_gid)?.native ?? {};
  const decimals = row.fee_decimals ?? (gid === row.fee_asset_gid ? ofNative : undefined);
  return {
    asset_gid: row.fee_asset_gid,
    amount: formatKnownAmount(BigInt(row.fee_amount_raw), decimals),
    amount_raw: row.fee_amount_raw,
  };
}

function toTransferRecord(row: TransferRow, displayAddress: (canonical: string) => string): TransferRecord {
  return {
    index: row.index,
    type: row.type,
    asset_gid: row.asset_gid,
    from: row.from_address === null ? null : displayAddress(row.from_address),
    to: row.to_address === null ? null : displayAddress(row.to_address),
    amount: formatKnownAmount(BigInt(row.amount_raw), row.decimals),
    amount_raw: row.amount_raw,
    decimals: row.decimals,
    log_index: row.log_index,
    memo: row.memo,
    monitored_addresses: row.monitored_addresses.map(displayAddress),
  };
}
