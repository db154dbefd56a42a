// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Difference } from '../plan/plan-changes.ts';

export async function deleteDoubts(
  sql: Sql,
  pairs: readonly Pick<Difference, 'addressId' | 'assetGid'>[],
): Promise<void> {
  if (pairs.length === 0) return;
  await sql.query(
    `DELETE FROM balance_differences d USING unnest($1::uuid[], $2::text[]) AS t (address_id, asset_gid)
     WHERE d.address_id = t.address_id AND d.asset_gid = t.asset_gid`,
    [pairs.map(({ addressId }) => addressId), pairs.map(({ assetGid }) => assetGid)],
  );
}

/** What a second reading decides. The address may be deleted meanwhile. */
export async function insertDoubts(sql: Sql, chainGid: string, doubts: readonly Difference[]): Promise<void> {
  if (doubts.length === 0) return;
  await sql.query(
    `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, since_number, first_number)
     SELECT a.id, t.asset_gid, $1, t.amount_raw, t.number, t.hash, t.since, t.first
     FROM unnest($2::uuid[], $3::text[], $4::numeric[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[]) AS t (address_id, asset_gid, amount_raw, number, hash, since, first)
     JOIN LATERAL (SELECT id FROM addresses WHERE id = t.address_id FOR KEY SHARE) a ON true
     ON CONFLICT (address_id, asset_gid) DO NOTHING`,
    [
      chainGid,
      doubts.map(({ addressId }) => addressId),
      doubts.map(({ assetGid }) => assetGid),
      doubts.map(({ amountRaw }) => amountRaw.toString()),
      doubts.map(({ block }) => block.number),
      doubts.map(({ block }) => block.hash),
      doubts.map(({ since }) => since ?? null),
      doubts.map(({ first }) => first ?? null),
    ],
  );
}
