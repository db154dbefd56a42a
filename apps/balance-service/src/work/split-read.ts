import type { Sql } from '@chainwatch/db';

/** Turns a row that asks for everybody who holds an asset into one for each of them, at the end of the queue. */
export async function splitRead(sql: Sql, readId: number): Promise<void> {
  await sql.query(
    `WITH r AS (DELETE FROM balance_reads WHERE id = $1 AND address_id IS NULL RETURNING *)
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent)
     SELECT r.chain_gid, b.address_id, b.asset_gid, r.block_number, r.block_hash, r.reason, r.traceparent FROM r JOIN balances b ON b.asset_gid = r.asset_gid`,
    [readId],
  );
}

/** What the node cannot answer must not hold up the rest for ever. */
export async function moveToEnd(sql: Sql, readIds: readonly number[]): Promise<void> {
  await sql.query('UPDATE balance_reads SET id = DEFAULT WHERE id = ANY($1)', [readIds]);
}
