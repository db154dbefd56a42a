// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';

/** Every stretch between two readings, and how much of it transfers and adjustments explain. */
export async function readStretches(
  db: Pick<Database, 'query'>,
): Promise<{ difference: bigint; explained: bigint; adjusted: bigint; pair: string }[]> {
  const { rows } = await db.query<{
    pair: string;
    difference: string;
    explained: string;
    adjusted: string;
  }>(
    `WITH h AS (
       SELECT h.*, a.address, lag(h.amount_raw) OVER w AS before_raw, lag(h.block_number) OVER w AS before_number
       FROM balance_history h JOIN addresses a ON a.id = h.address_id WINDOW w AS (PARTITION BY h.address_id, h.asset_gid ORDER BY h.block_number))
     SELECT h.address || ' ' || h.asset_gid || ' ' || h.before_number || '..' || h.block_number AS pair, h.amount_raw - h.before_raw AS difference,
       coalesce((SELECT sum(CASE WHEN t.to_address = h.address THEN t.amount_raw ELSE 0 END - CASE WHEN t.from_address = h.address THEN t.amount_raw ELSE 0 END)
         FROM transfers t JOIN transactions x ON x.id = t.transaction_id
         WHERE t.asset_gid = h.asset_gid AND x.status <> 'reorged' AND x.block_number > h.before_number AND x.block_number <= h.block_number), 0)
       - coalesce((SELECT sum(x.fee_amount_raw) FROM transactions x WHERE x.fee_asset_gid = h.asset_gid AND x.fee_payer = h.address AND x.status <> 'reorged'
           AND x.block_number > h.before_number AND x.block_number <= h.block_number), 0) AS explained,
       coalesce((SELECT sum(j.amount_raw) FROM adjustments j WHERE j.address_id = h.address_id AND j.asset_gid = h.asset_gid
           AND j.block_number > h.before_number AND j.block_number <= h.block_number), 0) AS adjusted
     FROM h WHERE h.before_number IS NOT NULL`,
  );
  return rows.map((row) => ({
    pair: row.pair,
    difference: BigInt(row.difference),
    explained: BigInt(row.explained),
    adjusted: BigInt(row.adjusted),
  }));
}
