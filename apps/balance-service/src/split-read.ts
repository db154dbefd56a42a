import type { Sql } from '@chainwatch/db';

/** Turns one row that asks for a balance of everybody, or everything of somebody, into a row for each balance, at the end of the queue. */
export async function splitRead(sql: Sql, readId: number): Promise<void> {
  await sql.query(
    `WITH r AS (DELETE FROM balance_reads WHERE id = $1 RETURNING *)
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent)
     SELECT r.chain_gid, b.address_id, b.asset_gid, r.block_number, r.block_hash, 'touched', r.traceparent
     FROM r JOIN balances b ON b.chain_gid = r.chain_gid AND (b.asset_gid = r.asset_gid OR r.asset_gid IS NULL) AND (b.address_id = r.address_id OR r.address_id IS NULL)`,
    [readId],
  );
}

/** One that the node cannot answer must not hold up the others for ever. */
export async function moveToEnd(sql: Sql, readIds: readonly number[]): Promise<void> {
  await sql.query('UPDATE balance_reads SET id = DEFAULT WHERE id = ANY($1)', [readIds]);
}
