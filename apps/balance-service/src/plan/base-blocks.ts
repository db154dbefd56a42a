// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

/** A block that a plan stands on, as it was when the plan was made. */
export interface BaseBlock {
  readonly id: number;
  /** Version of the row: changes with its status. */
  readonly version: string;
}

interface Row extends BaseBlock {
  readonly status: 'new' | 'processed' | 'confirmed' | 'reorged';
}

/** Undefined: the transactions of one of the blocks are not stored (any more). */
export async function readBaseBlocks(
  sql: Sql,
  chainGid: string,
  blocks: readonly BlockRef[],
): Promise<BaseBlock[] | undefined> {
  const hashes = [...new Set(blocks.map((block) => block.hash))];
  const { rows } = await sql.query<Row>({
    name: 'read_base_blocks',
    text: 'SELECT id, xmin::text AS version, status FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) ORDER BY id',
    values: [chainGid, hashes],
  });
  return rows.some(({ status }) => status === 'new' || status === 'reorged') ? undefined : rows;
}

/**
 * Whether the blocks are unchanged. Until the transaction ends nobody orphans or undoes them, because whoever does
 * must first lock the same rows FOR UPDATE. Processing and confirming blocks does not wait for this lock, nor the
 * other way round.
 */
export async function lockBaseBlocks(sql: Sql, baseBlocks: readonly BaseBlock[]): Promise<boolean> {
  const { rows } = await sql.query<BaseBlock>({
    name: 'lock_base_blocks',
    text: 'SELECT id, xmin::text AS version FROM blocks WHERE id = ANY($1) ORDER BY id FOR KEY SHARE',
    values: [baseBlocks.map(({ id }) => id)],
  });
  return (
    rows.length === baseBlocks.length &&
    rows.every(({ version }, index) => version === baseBlocks[index]!.version)
  );
}
