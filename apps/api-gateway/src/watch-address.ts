import { findFamily, namespaceOfFamily } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/db';
import { familySchema } from './records/path-schemas.ts';

interface WatchedAddresses {
  readonly ids: readonly string[];
  readonly chainFamily: string;
  /** The networks that know them; absent where every network of the family does (`ParsedAddress.networkGids`). */
  readonly networkGids?: readonly string[];
  /** Where a rescan of blocks begins, on chains whose node cannot tell coins by address; default 0. */
  readonly fromBlock?: number;
}

/**
 * Part of the transaction that registers addresses: they count from the head that each chain which knows them has
 * now (architecture.md, invariant 7), their balances are read once, and the coins that they had before are looked for.
 */
export async function watchFromHead(sql: Sql, { ids, chainFamily, networkGids, fromBlock }: WatchedAddresses): Promise<void> {
  if (ids.length === 0) return;
  const values = [ids, chainFamily, networkGids ?? null];
  await sql.query(
    `INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq)
     SELECT a.id, s.chain_gid, s.head_number, s.feed_seq
     FROM ingestor_states s JOIN blockchains b ON b.gid = s.chain_gid, unnest($1::uuid[]) AS a (id)
     WHERE b.family = $2 AND ($3::text[] IS NULL OR b.gid = ANY ($3)) AND s.head_number IS NOT NULL
     ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = excluded.from_block, feed_seq = excluded.feed_seq`,
    values,
  );
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, reason)
     SELECT b.gid, a.id, 'imported' FROM blockchains b, unnest($1::uuid[]) AS a (id)
     WHERE b.family = $2 AND ($3::text[] IS NULL OR b.gid = ANY ($3)) AND b.is_active`,
    values,
  );
  if (await hasCoins(chainFamily)) await lookForCoins(sql, [...values, fromBlock ?? null]);
}

/** Chains of unspent outputs: what an address has there is known by its coins alone. */
export async function hasCoins(chainFamily: string): Promise<boolean> {
  const family = await findFamily(namespaceOfFamily(familySchema.parse(chainFamily)));
  return family?.utxo !== undefined;
}

/** One that was looked for before starts over: what happened while nobody watched is not known. */
async function lookForCoins(sql: Sql, values: unknown[]): Promise<void> {
  await sql.query(
    `INSERT INTO address_backfills (address_id, chain_gid, from_block)
     SELECT a.id, b.gid, coalesce($4, 0) FROM blockchains b, unnest($1::uuid[]) AS a (id)
     WHERE b.family = $2 AND ($3::text[] IS NULL OR b.gid = ANY ($3)) AND b.is_active
     ON CONFLICT (address_id, chain_gid) DO UPDATE
     SET status = 'pending', from_block = coalesce($4, address_backfills.from_block), next_block = NULL, to_block = NULL, method = NULL, reason = NULL, coin_count = 0, updated_at = now()`,
    values,
  );
}
