// SPDX-License-Identifier: Apache-2.0
import { findFamilyNamed } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import type { AddressRow } from '../records/address.ts';

interface WatchedAddresses {
  readonly ids: readonly string[];
  readonly chainFamily: string;
  /** The networks that know the addresses; absent if every network of the family does (`ParsedAddress.networkGids`). */
  readonly networkGids?: readonly string[];
}

/**
 * Part of the transaction that registers addresses. On each chain that knows them, they count from the chain's current
 * head (architecture.md, invariant 7), their balances are read once, and their earlier coins are searched for. Resolves
 * to what a new address's record shows of that.
 */
export async function watchFromHead(
  sql: Sql,
  { ids, chainFamily, networkGids }: WatchedAddresses,
): Promise<Pick<AddressRow, 'watches' | 'backfills'>> {
  if (ids.length === 0) return { watches: [], backfills: [] };
  const isSearched = await hasCoins(chainFamily);
  const { rows } = await sql.query<{ gid: string; is_active: boolean; head_number: number | null }>(
    // The lock puts an activation either before or after: when the analyzer starts, it looks for addresses without a
    // backfill.
    `WITH chains AS MATERIALIZED (
       SELECT gid, is_active FROM blockchains WHERE family = $2 AND ($3::text[] IS NULL OR gid = ANY ($3)) ORDER BY gid FOR SHARE
     ), watches AS (
       INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq)
       SELECT a.id, s.chain_gid, s.head_number, s.feed_seq
       FROM ingestor_states s JOIN chains c ON c.gid = s.chain_gid, unnest($1::uuid[]) AS a (id) WHERE s.head_number IS NOT NULL
       ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = excluded.from_block, feed_seq = excluded.feed_seq
     ), backfills AS (
       ${BACKFILLS_SQL}
     ), left_over AS (
       DELETE FROM address_backfills f USING chains c WHERE f.address_id = ANY ($1) AND f.chain_gid = c.gid AND NOT c.is_active
     ), reads AS (
       INSERT INTO balance_reads (chain_gid, address_id, reason)
       SELECT c.gid, a.id, 'imported' FROM chains c, unnest($1::uuid[]) AS a (id) WHERE c.is_active
     )
     SELECT c.gid, c.is_active, s.head_number FROM chains c LEFT JOIN ingestor_states s ON s.chain_gid = c.gid ORDER BY c.gid`,
    [ids, chainFamily, networkGids ?? null, isSearched],
  );
  return {
    watches: rows.flatMap(({ gid, head_number }) =>
      head_number === null ? [] : [{ chainGid: gid, fromBlock: BigInt(head_number) }],
    ),
    backfills: rows.filter(({ is_active }) => is_active && isSearched).map(({ gid }) => toNewBackfill(gid)),
  };
}

function toNewBackfill(chainGid: string): AddressRow['backfills'][number] {
  return {
    ...{ chainGid, status: 'pending', fromBlock: 0n, coinCount: 0 },
    ...{ nextBlock: null, toBlock: null, method: null, reason: null },
  };
}

/** An earlier search starts over, because nothing is known of the time when the address was not watched. */
const BACKFILLS_SQL = `INSERT INTO address_backfills (address_id, chain_gid)
       SELECT a.id, c.gid FROM chains c, unnest($1::uuid[]) AS a (id) WHERE c.is_active AND $4::boolean
       ON CONFLICT (address_id, chain_gid) DO UPDATE
       SET status = 'pending', next_block = NULL, to_block = NULL, method = NULL, reason = NULL, coin_count = 0, updated_at = now()`;

/** Whether the family's balances are made of unspent outputs: an address is then known only by its coins. */
export async function hasCoins(chainFamily: string): Promise<boolean> {
  const family = await findFamilyNamed(chainFamily);
  return family?.utxo !== undefined;
}
