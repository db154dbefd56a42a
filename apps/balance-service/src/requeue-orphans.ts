import type { Sql } from '@chainwatch/db';

/**
 * Readings that stand in a block which was orphaned since are removed, with the adjustments made of them, and asked for
 * again. The analyzer asks for those it finds when it undoes a block; this is for those that were being written then.
 */
export async function requeueOrphans(sql: Sql, chainGid: string, fromNumber: number): Promise<number> {
  const { rowCount } = await sql.query(
    `WITH orphans AS MATERIALIZED (SELECT hash FROM blocks WHERE chain_gid = $1 AND status = 'reorged' AND number >= $2),
     readings AS (DELETE FROM balance_history h USING orphans o WHERE h.chain_gid = $1 AND h.block_hash = o.hash RETURNING h.address_id, h.asset_gid),
     differences AS (DELETE FROM adjustments a USING orphans o WHERE a.chain_gid = $1 AND a.block_hash = o.hash)
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason) SELECT DISTINCT $1, address_id, asset_gid, 'reorged' FROM readings`,
    [chainGid, fromNumber],
  );
  return rowCount ?? 0;
}
