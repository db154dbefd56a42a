import type { Sql } from '@chainwatch/db';

/**
 * Readings that stand in a block which was orphaned since are removed, with the adjustments made of them, and asked for
 * again. The analyzer asks for those it finds when it undoes a block; this is for those that were being written then.
 */
export async function requeueOrphans(sql: Sql, chainGid: string, fromNumber: number): Promise<number> {
  // Block by block (OFFSET 0): orphans are few and nearly always without readings, the other table is large.
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT o.hash FROM blocks o CROSS JOIN LATERAL (SELECT 1 FROM balance_history h WHERE h.chain_gid = $1 AND h.block_hash = o.hash LIMIT 1 OFFSET 0) h
     WHERE o.chain_gid = $1 AND o.status = 'reorged' AND o.number >= $2`,
    [chainGid, fromNumber],
  );
  if (rows.length === 0) return 0;
  const { rowCount } = await sql.query(
    `WITH readings AS (DELETE FROM balance_history WHERE chain_gid = $1 AND block_hash = ANY($2) RETURNING address_id, asset_gid),
     differences AS (DELETE FROM adjustments WHERE chain_gid = $1 AND block_hash = ANY($2))
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason) SELECT DISTINCT $1, address_id, asset_gid, 'reorged' FROM readings`,
    [chainGid, rows.map((row) => row.hash)],
  );
  return rowCount ?? 0;
}
