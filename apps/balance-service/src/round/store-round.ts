import type { Sql } from '@chainwatch/db';
import { storeChanges } from '../store/store-changes.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import type { DoubtedChange, RoundPlan } from './plan-round.ts';
import type { Pair } from './read-page.ts';

/**
 * In an open transaction of the chain's owner, writes what a round has found. Returns the events of what is told.
 * Undefined: the plan's blocks have changed, and nothing is written.
 */
export async function storeRound(
  sql: Sql,
  { chainGid, plan, now }: { readonly chainGid: string; readonly plan: RoundPlan; readonly now: Date },
): Promise<BalanceEvent[] | undefined> {
  const { told, doubted, settled } = plan;
  if (told.changes.length + doubted.length + settled.length === 0) return [];
  // Also where nothing is told: a difference counts only if its block still stands.
  const events = await storeChanges(sql, { chainGid, readIds: [], plan: told, now });
  if (events === undefined) return undefined;
  await deleteDoubts(sql, settled);
  await insertDoubts(sql, chainGid, doubted);
  return events;
}

export async function deleteDoubts(sql: Sql, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return;
  await sql.query(
    `DELETE FROM balance_differences d USING unnest($1::uuid[], $2::text[]) AS t (address_id, asset_gid)
     WHERE d.address_id = t.address_id AND d.asset_gid = t.asset_gid`,
    [pairs.map(({ addressId }) => addressId), pairs.map(({ assetGid }) => assetGid)],
  );
}

/** The address may be deleted meanwhile. */
async function insertDoubts(sql: Sql, chainGid: string, doubts: readonly DoubtedChange[]): Promise<void> {
  if (doubts.length === 0) return;
  await sql.query(
    `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, since_number)
     SELECT a.id, t.asset_gid, $1, t.amount_raw, t.number, t.hash, t.since
     FROM unnest($2::uuid[], $3::text[], $4::numeric[], $5::bigint[], $6::text[], $7::bigint[]) AS t (address_id, asset_gid, amount_raw, number, hash, since)
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
    ],
  );
}
