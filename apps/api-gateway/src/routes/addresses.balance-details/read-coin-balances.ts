// SPDX-License-Identifier: Apache-2.0
import { nativeOf } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { UtxoChain } from '../../records/utxo-chains.ts';
import {
  COINS_CHECKED_AT,
  ownerValues,
  PENDING_MOVES,
  SHOWN_BALANCES,
  type BalanceOwner,
  type BalanceRow,
} from './balance-row.ts';

/**
 * Balances computed from the coins, all in one snapshot. A coinbase is immature until it may be spent; from then on it
 * is confirmed.
 */
export async function readCoinBalances(
  sql: Sql,
  owner: BalanceOwner,
  chains: readonly UtxoChain[],
): Promise<BalanceRow[]> {
  const { rows } = await sql.query<BalanceRow>(
    `SELECT b.asset_gid, a.decimals, NULL AS ui_multiplier, c.total::text AS total_raw, c.confirmed::text AS confirmed_raw, c.immature::text AS immature_raw,
            p.moved_in::text AS pending_in_raw, p.moved_out::text AS pending_out_raw, ${COINS_CHECKED_AT} AS checked_at
     FROM ${SHOWN_BALANCES}
     JOIN unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[]) AS n (chain_gid, asset_gid, required, maturity) ON n.asset_gid = b.asset_gid
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(u.amount_raw), 0) AS total,
              coalesce(sum(u.amount_raw) FILTER (WHERE u.is_coinbase AND u.depth < n.maturity), 0) AS immature,
              coalesce(sum(u.amount_raw) FILTER (WHERE u.depth >= n.required AND NOT (u.is_coinbase AND u.depth < n.maturity)), 0) AS confirmed
       FROM (
         SELECT u.amount_raw, u.is_coinbase, coalesce(s.head_number - u.block_number + 1, 0) AS depth
         FROM utxos u LEFT JOIN ingestor_states s ON s.chain_gid = u.chain_gid
         WHERE u.chain_gid = n.chain_gid AND u.address = $3 AND u.spent_block_number IS NULL
       ) u
     ) c
     ${PENDING_MOVES}
     ORDER BY b.asset_gid`,
    [
      ...ownerValues(owner),
      chains.map(({ network }) => network.gid),
      chains.map(({ network }) => nativeOf(network).gid),
      chains.map(({ network }) => network.confirmation.depth),
      chains.map(({ coinbaseMaturity }) => coinbaseMaturity),
    ],
  );
  return rows;
}
