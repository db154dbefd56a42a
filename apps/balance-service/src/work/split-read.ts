// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/** Replaces a row that asks for all holders of an asset by one row for each, at the end of the queue. */
export async function splitRead(sql: Sql, readId: number): Promise<void> {
  await sql.query(
    `WITH r AS (DELETE FROM balance_reads WHERE id = $1 AND address_id IS NULL RETURNING *)
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent)
     SELECT r.chain_gid, b.address_id, b.asset_gid, r.block_number, r.block_hash, r.reason, r.traceparent FROM r JOIN balances b ON b.asset_gid = r.asset_gid`,
    [readId],
  );
}

/** Moves readings that the node cannot answer behind the others, so that they do not block them for ever. */
export async function moveToEnd(sql: Sql, readIds: readonly number[]): Promise<void> {
  await sql.query('UPDATE balance_reads SET id = DEFAULT WHERE id = ANY($1)', [readIds]);
}
