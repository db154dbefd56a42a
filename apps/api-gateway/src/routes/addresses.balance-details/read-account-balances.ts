// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import {
  CHECKED_AT,
  ownerValues,
  PENDING_MOVES,
  SHOWN_BALANCES,
  type BalanceOwner,
  type BalanceRow,
} from './balance-row.ts';

/**
 * Balances as the chain reported them. The confirmed balance is the one at the last confirmed block: the current
 * balance if it was read at that block or before, otherwise the last one that was.
 */
export async function readAccountBalances(sql: Sql, owner: BalanceOwner): Promise<BalanceRow[]> {
  const { rows } = await sql.query<BalanceRow>(
    `SELECT b.asset_gid, a.decimals, a.ui_multiplier, b.amount_raw::text AS total_raw,
            (CASE WHEN b.block_number <= s.confirmed_number THEN b.amount_raw ELSE h.amount_raw END)::text AS confirmed_raw,
            '0' AS immature_raw, p.moved_in::text AS pending_in_raw, p.moved_out::text AS pending_out_raw, ${CHECKED_AT} AS checked_at
     FROM ${SHOWN_BALANCES}
     LEFT JOIN analyzer_states s ON s.chain_gid = b.chain_gid
     LEFT JOIN LATERAL (
       SELECT h.amount_raw FROM balance_history h LEFT JOIN blocks k ON k.chain_gid = h.chain_gid AND k.hash = h.block_hash
       WHERE h.address_id = b.address_id AND h.asset_gid = b.asset_gid AND h.block_number <= s.confirmed_number AND k.status IS DISTINCT FROM 'reorged'
       ORDER BY h.block_number DESC LIMIT 1
     ) h ON true
     ${PENDING_MOVES}
     ORDER BY b.asset_gid`,
    ownerValues(owner),
  );
  return rows;
}
