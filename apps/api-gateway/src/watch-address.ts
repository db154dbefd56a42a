import type { Sql } from '@chainwatch/db';

interface WatchedAddress {
  readonly id: string;
  readonly chainFamily: string;
}

/**
 * Part of the transaction that registers an address: it counts from the head that each chain of its family has now
 * (architecture.md, invariant 7), and its balances are read once.
 */
export async function watchFromHead(sql: Sql, { id, chainFamily }: WatchedAddress): Promise<void> {
  await sql.query(
    `INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq)
     SELECT $1, s.chain_gid, s.head_number, s.feed_seq
     FROM ingestor_states s JOIN blockchains b ON b.gid = s.chain_gid
     WHERE b.family = $2 AND s.head_number IS NOT NULL
     ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = excluded.from_block, feed_seq = excluded.feed_seq`,
    [id, chainFamily],
  );
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, reason)
     SELECT gid, $1, 'imported' FROM blockchains WHERE family = $2 AND is_active`,
    [id, chainFamily],
  );
}
