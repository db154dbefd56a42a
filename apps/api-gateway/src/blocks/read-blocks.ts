// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { BlockRow } from '../records/block.ts';
import { inOrder } from '../lists/read-list.ts';
import type { ListedBlock } from './read-block-page.ts';

interface Row extends BlockRow {
  readonly id: number;
}

const COLUMNS = `id, chain_gid AS "chainGid", number, hash, parent_hash AS "parentHash", block_timestamp AS "blockTimestamp", status, verification`;

/** The blocks of a page, in its order: one snapshot, so that each is a row or packed, whatever it was when it was found. */
export async function readBlocks(sql: Sql, listed: readonly ListedBlock[]): Promise<readonly BlockRow[]> {
  const ids = listed.map(({ id }) => id);
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM blocks WHERE id = ANY ($1::bigint[])
     UNION ALL
     SELECT ${COLUMNS} FROM (
       SELECT p.* FROM (
         SELECT gid, min(number) AS low, max(number) AS high FROM unnest($2::text[], $3::bigint[]) AS w (gid, number) GROUP BY gid, number / 1024) w
       CROSS JOIN LATERAL packed_blocks(w.gid, w.low, w.high) p WHERE p.id = ANY ($1::bigint[])) b`,
    [ids, listed.map(({ chain_gid: gid }) => gid), listed.map(({ number }) => number)],
  );
  return inOrder(
    ids,
    rows.map((row) => ({ ...row, id: String(row.id) })),
  );
}

/** All blocks of a height, the last one seen first. */
export async function readBlocksAt(sql: Sql, chainGid: string, number: number): Promise<readonly BlockRow[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM blocks WHERE chain_gid = $1 AND number = $2
     UNION ALL SELECT ${COLUMNS} FROM packed_blocks($1, $2, $2) ORDER BY id DESC`,
    [chainGid, number],
  );
  return rows;
}
