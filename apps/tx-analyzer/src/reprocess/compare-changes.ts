// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { BlockChange } from '../model/blocks-step.ts';
import { isWhole } from './plan-reprocess.ts';

/** A stored change of which the block says nothing any more. */
export type StaleChange = Pick<BlockChange, 'addressId' | 'assetGid' | 'reason'> & {
  readonly blockHash: string;
};

export interface ComparedChanges {
  /** Not stored as they are read now, or not believed until now. */
  readonly fresh: readonly BlockChange[];
  /** Told by one node alone, of blocks that are proved now. */
  readonly stale: readonly StaleChange[];
}

interface Row {
  readonly address_id: string;
  readonly asset_gid: string;
  readonly block_hash: string;
  readonly reason: BlockChange['reason'];
  readonly amount_raw: string;
  readonly is_unproved: boolean;
}

/** Compares what is stored of blocks' changes without a transaction with what is read of them now. */
export async function compareChanges(
  sql: Sql,
  chainGid: string,
  { blocks, changes }: { readonly blocks: readonly Block[]; readonly changes: readonly BlockChange[] },
): Promise<ComparedChanges> {
  const { rows } = await sql.query<Row>(
    `SELECT c.address_id, c.asset_gid, c.block_hash, c.reason, c.amount_raw, b.verification IS NOT DISTINCT FROM 'unproved' AS is_unproved
     FROM block_changes c LEFT JOIN blocks b ON b.chain_gid = c.chain_gid AND b.hash = c.block_hash
     WHERE c.chain_gid = $1 AND c.block_hash = ANY($2)`,
    [chainGid, blocks.map(({ hash }) => hash)],
  );
  const whole = new Set(blocks.filter(isWhole).map(({ hash }) => hash));
  const doubted = (row: Row): boolean => row.is_unproved && whole.has(row.block_hash);
  const stored = new Set(
    rows.filter((row) => !doubted(row)).map((row) => [...keyOfRow(row), row.amount_raw].join('|')),
  );
  const read = new Set(changes.map((change) => keyOf(change).join('|')));
  return {
    fresh: changes.filter((change) => !stored.has([...keyOf(change), change.amountRaw].join('|'))),
    stale: rows
      .filter((row) => doubted(row) && !read.has(keyOfRow(row).join('|')))
      .map((row) => ({
        addressId: row.address_id,
        assetGid: row.asset_gid,
        reason: row.reason,
        blockHash: row.block_hash,
      })),
  };
}

/** In an open transaction (chain's row locked). Addresses are locked first, as by whoever deletes one. */
export async function deleteChanges(sql: Sql, changes: readonly StaleChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(
    `WITH kept AS MATERIALIZED (SELECT id FROM addresses WHERE id = ANY($1) ORDER BY id FOR KEY SHARE)
     DELETE FROM block_changes c USING kept, unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS s (address_id, asset_gid, reason, block_hash)
     WHERE kept.id = s.address_id AND c.address_id = s.address_id AND c.asset_gid = s.asset_gid AND c.reason = s.reason AND c.block_hash = s.block_hash`,
    [
      changes.map(({ addressId }) => addressId),
      changes.map(({ assetGid }) => assetGid),
      changes.map(({ reason }) => reason),
      changes.map(({ blockHash }) => blockHash),
    ],
  );
}

function keyOf({ addressId, assetGid, block, reason }: BlockChange): readonly string[] {
  return [addressId, assetGid, block.hash, reason];
}

function keyOfRow(row: Row): readonly string[] {
  return [row.address_id, row.asset_gid, row.block_hash, row.reason];
}
