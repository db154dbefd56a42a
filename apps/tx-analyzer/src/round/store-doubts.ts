// SPDX-License-Identifier: Apache-2.0
import { nativeOf, type BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { SqlParams } from '../model/sql-params.ts';
import { differenceKey, sumByAddress, type CoinDifference, type CoinDoubt } from './coin-difference.ts';

interface DoubtRow {
  readonly address: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly coins: readonly string[];
}

/** Differences of earlier scans, of addresses that are compared: those of blocks below `below`, oldest first. */
export async function readDoubts(
  sql: Sql,
  chainGid: string,
  { below, addressesMax }: { readonly below: number; readonly addressesMax: number },
): Promise<CoinDoubt[]> {
  const { rows } = await sql.query<DoubtRow>({
    name: 'read_coin_doubts',
    text: `SELECT DISTINCT ON (d.block_number, a.address) a.address, d.block_number, d.block_hash, d.coins
           FROM balance_differences d JOIN addresses a ON a.id = d.address_id
           WHERE d.chain_gid = $1 AND d.coins IS NOT NULL AND d.block_number < $2 ORDER BY d.block_number, a.address LIMIT $3`,
    values: [chainGid, below, addressesMax],
  });
  const doubts = rows.map((row) => ({
    address: row.address,
    block: { number: row.block_number, hash: row.block_hash },
    coins: new Set(row.coins),
  }));
  // Of two for the same address the older one comes first.
  return [...new Map(doubts.toReversed().map((doubt) => [doubt.address, doubt])).values()];
}

/** Whether a difference waits for its second scan. */
export async function hasDoubts(sql: Sql, chainGid: string): Promise<boolean> {
  const { rows } = await sql.query(
    'SELECT FROM balance_differences WHERE chain_gid = $1 AND coins IS NOT NULL LIMIT 1',
    [chainGid],
  );
  return rows.length > 0;
}

/** Undefined: of all addresses. */
export async function deleteDoubts(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  addresses?: readonly string[],
): Promise<void> {
  await sql.query(
    `DELETE FROM balance_differences d USING addresses a
     WHERE d.chain_gid = $1 AND d.coins IS NOT NULL AND a.id = d.address_id AND ($2::text[] IS NULL OR a.chain_family = $3 AND a.address = ANY($2))`,
    [gid, addresses ?? null, family],
  );
}

/** Whoever watches an address and has all of its coins: `a`, with its import `f` and its watch `w`, in the order of their ids. */
const WATCHERS = `addresses a JOIN address_backfills f ON f.address_id = a.id AND f.status = 'complete'
  LEFT JOIN address_watches w ON w.address_id = a.id AND w.chain_gid = f.chain_gid`;

/**
 * The last final block before the round before began, `r`, where that round has compared the address: whatever is different
 * came after it.
 */
const SINCE = `CASE WHEN a.created_at < r.previous_at AND f.updated_at < r.previous_at AND coalesce(w.from_block, 0) <= r.previous_number
  AND EXISTS (SELECT FROM canonical_blocks(r.chain_gid, r.previous_number, r.previous_number) b WHERE b.hash = r.previous_hash) THEN r.previous_number END`;

interface Doubted {
  readonly differences: readonly CoinDifference[];
  /** Of the scan. */
  readonly at: BlockRef;
}

/** Keeps differences that one scan has shown, for everybody who watches the addresses. */
export async function insertDoubts(
  sql: Sql,
  { gid, family, network }: Pick<ChainContext, 'gid' | 'family' | 'network'>,
  { differences, at }: Doubted,
): Promise<void> {
  if (differences.length === 0) return;
  const keys = new Map<string, string[]>();
  for (const difference of differences)
    keys.set(difference.address, [...(keys.get(difference.address) ?? []), differenceKey(difference)]);
  const params = new SqlParams();
  const source = params.unnest(
    [...sumByAddress(differences)],
    [
      ['text', ([address]) => address],
      ['numeric', ([, amountRaw]) => amountRaw.toString()],
      ['jsonb', ([address]) => JSON.stringify(keys.get(address))],
    ],
  );
  const chain = params.add(gid, 'text');
  await sql.query(
    `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, since_number, coins)
     SELECT a.id, ${params.add(nativeOf(network).gid, 'text')}, ${chain}, t.amount_raw, ${params.add(at.number, 'bigint')}, ${params.add(at.hash, 'text')}, a.since, t.coins
     FROM ${source} AS t (address, amount_raw, coins)
     JOIN LATERAL (
       SELECT a.id, ${SINCE} AS since FROM ${WATCHERS} LEFT JOIN balance_rounds r ON r.chain_gid = f.chain_gid
       WHERE f.chain_gid = ${chain} AND a.chain_family = ${params.add(family, 'text')} AND a.address = t.address AND a.is_monitored
       ORDER BY a.id FOR KEY SHARE OF a) a ON true
     ORDER BY a.id ON CONFLICT (address_id, asset_gid) DO NOTHING`,
    params.values,
  );
}

/**
 * Hands the addresses to the balance service: their coins are corrected, so their balances are to be read and told. Also
 * where an address got its watcher after the first scan.
 */
export async function handOver(
  sql: Sql,
  { gid, family, network }: Pick<ChainContext, 'gid' | 'family' | 'network'>,
  { differences, at }: Doubted,
): Promise<void> {
  const params = new SqlParams();
  const source = params.unnest(
    [...sumByAddress(differences)],
    [
      ['text', ([address]) => address],
      ['numeric', ([, amountRaw]) => amountRaw.toString()],
    ],
  );
  const chain = params.add(gid, 'text');
  await sql.query(
    `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash)
     SELECT a.id, ${params.add(nativeOf(network).gid, 'text')}, ${chain}, t.amount_raw, ${params.add(at.number, 'bigint')}, ${params.add(at.hash, 'text')}
     FROM ${source} AS t (address, amount_raw)
     JOIN LATERAL (
       SELECT a.id FROM addresses a WHERE a.chain_family = ${params.add(family, 'text')} AND a.address = t.address AND a.is_monitored
       ORDER BY a.id FOR KEY SHARE) a ON true
     ORDER BY a.id ON CONFLICT (address_id, asset_gid) DO UPDATE SET coins = NULL, amount_raw = excluded.amount_raw`,
    params.values,
  );
}
