import type { Sql } from '@chainwatch/db';
import { SHOWN_BALANCES } from '../addresses.balance-details/balance-row.ts';

export interface BalanceAt {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly decimals: number;
}

export interface BlockOfAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical. */
  readonly address: string;
  readonly chainGid: string;
  readonly block: number;
}

/**
 * What the chain said at the last reading up to the block, and what transfers and fees moved from there to it; where
 * nothing was read before, from the first reading back.
 */
export async function readAccountBalancesAt(sql: Sql, at: BlockOfAddress): Promise<BalanceAt[]> {
  const { rows } = await sql.query<BalanceAt>(
    `WITH held AS MATERIALIZED (
       SELECT b.asset_gid, a.decimals, h.amount_raw, h.block_number, least(h.block_number, $5) AS after, greatest(h.block_number, $5) AS until
       FROM ${SHOWN_BALANCES}
       CROSS JOIN LATERAL (
         (SELECT amount_raw, block_number FROM balance_history WHERE address_id = $1 AND asset_gid = b.asset_gid AND block_number <= $5
          ORDER BY block_number DESC LIMIT 1)
         UNION ALL
         (SELECT amount_raw, block_number FROM balance_history WHERE address_id = $1 AND asset_gid = b.asset_gid AND block_number > $5
          ORDER BY block_number LIMIT 1)
         ORDER BY block_number LIMIT 1) h
       WHERE b.chain_gid = $4),
     -- Far back is far only where nothing was read for long, and nothing moved.
     mine AS MATERIALIZED (
       SELECT x.id, x.block_number, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw FROM transactions x
       WHERE x.project_id = $2 AND x.chain_gid = $4 AND x.status <> 'reorged'
         AND x.block_number > (SELECT min(after) FROM held) AND x.block_number <= (SELECT max(until) FROM held)
         AND EXISTS (SELECT FROM transaction_addresses t WHERE t.address_id = $1 AND t.transaction_id = x.id)),
     moved AS (
       SELECT h.asset_gid, sum(m.amount) AS amount FROM held h
       JOIN mine x ON x.block_number > h.after AND x.block_number <= h.until
       CROSS JOIN LATERAL (
         SELECT CASE WHEN f.to_address = $3 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $3 THEN f.amount_raw ELSE 0 END AS amount
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = h.asset_gid
         UNION ALL
         SELECT -x.fee_amount_raw WHERE x.fee_payer = $3 AND x.fee_asset_gid = h.asset_gid) m
       GROUP BY h.asset_gid)
     SELECT h.asset_gid, h.decimals,
       (h.amount_raw + CASE WHEN h.block_number <= $5 THEN 1 ELSE -1 END * coalesce(m.amount, 0))::text AS amount_raw
     FROM held h LEFT JOIN moved m USING (asset_gid) ORDER BY h.asset_gid`,
    [at.id, at.projectId, at.address, at.chainGid, at.block],
  );
  return rows;
}

/** The coins that were unspent after the block. */
export async function readCoinBalancesAt(sql: Sql, at: BlockOfAddress): Promise<BalanceAt[]> {
  const { rows } = await sql.query<BalanceAt>(
    `SELECT b.asset_gid, a.decimals, (
       SELECT coalesce(sum(u.amount_raw), 0) FROM utxos u
       WHERE u.chain_gid = $4 AND u.address = $3 AND u.block_number <= $5
         AND (u.spent_block_number IS NULL OR u.spent_block_number > $5))::text AS amount_raw
     FROM ${SHOWN_BALANCES} WHERE b.chain_gid = $4`,
    [at.id, at.projectId, at.address, at.chainGid, at.block],
  );
  return rows;
}
