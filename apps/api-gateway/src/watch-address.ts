import type { Sql } from '@chainwatch/db';

interface WatchedAddress {
  readonly id: string;
  readonly chainFamily: string;
  /** The networks that know it; absent where every network of the family does (`ParsedAddress.networkGids`). */
  readonly networkGids?: readonly string[];
}

/**
 * Part of the transaction that registers an address: it counts from the head that each chain which knows it has
 * now (architecture.md, invariant 7), and its balances are read once.
 */
export async function watchFromHead(sql: Sql, { id, chainFamily, networkGids }: WatchedAddress): Promise<void> {
  const values = [id, chainFamily, networkGids ?? null];
  await sql.query(
    `INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq)
     SELECT $1, s.chain_gid, s.head_number, s.feed_seq
     FROM ingestor_states s JOIN blockchains b ON b.gid = s.chain_gid
     WHERE b.family = $2 AND ($3::text[] IS NULL OR b.gid = ANY ($3)) AND s.head_number IS NOT NULL
     ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = excluded.from_block, feed_seq = excluded.feed_seq`,
    values,
  );
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, reason)
     SELECT gid, $1, 'imported' FROM blockchains WHERE family = $2 AND ($3::text[] IS NULL OR gid = ANY ($3)) AND is_active`,
    values,
  );
}
