// SPDX-License-Identifier: Apache-2.0
import type { Coin } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { endSetAside } from '@chainwatch/data/quarantine';
import type { BackfillAddress, BackfillBatch } from './backfill-batch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';
import { markUsed } from '../commit/mark-used.ts';
import { SqlParams } from '../model/sql-params.ts';

/**
 * Stores the coins that a backfill found in an open transaction (chain's row locked) and marks it complete. Returns
 * the addresses for which this is valid. An address is looked for again if it counts from another block by now (a
 * reorg, or monitored anew), if coins of another block on were asked for meanwhile, or if it was looked for on another
 * branch than the analyzer's.
 */
export async function commitBackfill(
  sql: Sql,
  {
    chainGid,
    batch,
    found,
  }: { readonly chainGid: string; readonly batch: BackfillBatch; readonly found: EarlierCoins },
): Promise<BackfillAddress[]> {
  const committed = await lockUnchanged(sql, { chainGid, addresses: batch.addresses, coins: found });
  const own = new Set(committed.map((entry) => entry.address));
  const coins = found.coins.filter((coin) => own.has(coin.address));
  // If nobody watched the address for a while, no analysed block recorded what was spent in that time.
  if (found.reason === undefined)
    await dropStale(sql, chainGid, { addresses: committed, coins, fromBlock: found.fromBlock });
  await insertCoins(sql, chainGid, coins);
  await complete(sql, chainGid, { addresses: committed, coins, found });
  await endSetAside(sql, chainGid, { step: 'backfill', subjectIds: committed.map(({ id }) => id) });
  const owners = new Set(coins.map((coin) => coin.address));
  await markUsed(
    sql,
    committed.filter((entry) => owners.has(entry.address)).map((entry) => entry.id),
  );
  return committed;
}

async function lockUnchanged(
  sql: Sql,
  {
    chainGid,
    addresses,
    coins: { parents },
  }: {
    readonly chainGid: string;
    readonly addresses: readonly BackfillAddress[];
    readonly coins: EarlierCoins;
  },
): Promise<BackfillAddress[]> {
  const { rows } = await sql.query<{ address_id: string }>(
    `SELECT f.address_id FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::bigint[]) AS b (id, watched_from, parent_hash, from_block)
     JOIN address_backfills f ON f.address_id = b.id AND f.chain_gid = $1 AND f.status = 'running' AND f.from_block = b.from_block
     JOIN ingestor_states s ON s.chain_gid = f.chain_gid
     JOIN analyzer_states c ON c.chain_gid = f.chain_gid
     LEFT JOIN address_watches w ON w.address_id = f.address_id AND w.chain_gid = f.chain_gid
     WHERE coalesce(w.from_block, s.start_number) = b.watched_from AND (
       b.parent_hash IS NULL OR (c.cursor_number, c.cursor_hash) = (b.watched_from - 1, b.parent_hash)
       OR EXISTS (SELECT FROM blocks k WHERE k.chain_gid = $1 AND k.number = b.watched_from AND k.parent_hash = b.parent_hash AND k.status IN ('processed', 'confirmed'))
       OR EXISTS (SELECT FROM packed_blocks($1, b.watched_from, b.watched_from) k WHERE k.parent_hash = b.parent_hash))
     ORDER BY f.address_id FOR UPDATE OF f`,
    [
      chainGid,
      addresses.map((entry) => entry.id),
      addresses.map((entry) => entry.watchedFrom),
      addresses.map((entry) => parents.get(entry.watchedFrom) ?? null),
      addresses.map((entry) => entry.fromBlock),
    ],
  );
  const unchanged = new Set(rows.map((row) => row.address_id));
  return addresses.filter((entry) => unchanged.has(entry.id));
}

interface CoinsOfAddresses {
  readonly addresses: readonly BackfillAddress[];
  readonly coins: readonly Coin[];
}

async function dropStale(
  sql: Sql,
  chainGid: string,
  { addresses, coins, fromBlock }: CoinsOfAddresses & { readonly fromBlock: number },
): Promise<void> {
  await sql.query(
    `DELETE FROM utxos u USING unnest($2::text[], $3::bigint[]) AS a (address, watched_from)
     WHERE u.chain_gid = $1 AND u.address = a.address AND u.block_number < a.watched_from AND u.block_number >= $6 AND u.spent_by IS NULL
       AND NOT EXISTS (SELECT 1 FROM unnest($4::text[], $5::integer[]) AS c (txid, vout) WHERE c.txid = u.txid AND c.vout = u.vout)`,
    [
      chainGid,
      addresses.map((entry) => entry.address),
      addresses.map((entry) => entry.watchedFrom),
      coins.map((coin) => coin.txid),
      coins.map((coin) => coin.vout),
      fromBlock,
    ],
  );
}

/** A coin that is known already stays as it is: blocks have told more about it than a scan does. */
export async function insertCoins(sql: Sql, chainGid: string, coins: readonly Coin[]): Promise<void> {
  if (coins.length === 0) return;
  const params = new SqlParams();
  const source = params.unnest(coins, [
    ['text', (coin) => coin.txid],
    ['integer', (coin) => coin.vout],
    ['text', (coin) => coin.address],
    ['numeric', (coin) => coin.amountRaw.toString()],
    ['boolean', (coin) => coin.isCoinbase],
    ['bigint', (coin) => coin.blockNumber],
  ]);
  const text = `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number)
    SELECT ${params.add(chainGid, 'text')}, c.* FROM ${source} AS c ON CONFLICT (chain_gid, txid, vout) DO NOTHING`;
  await sql.query(text, params.values);
}

async function complete(
  sql: Sql,
  chainGid: string,
  { addresses, coins, found: { method, reason } }: CoinsOfAddresses & { readonly found: EarlierCoins },
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { address } of coins) counts.set(address, (counts.get(address) ?? 0) + 1);
  await sql.query(
    `UPDATE address_backfills f SET status = 'complete', method = $4, reason = $5, coin_count = b.coin_count, next_block = to_block + 1, updated_at = now()
     FROM unnest($2::uuid[], $3::integer[]) AS b (id, coin_count) WHERE f.chain_gid = $1 AND f.address_id = b.id`,
    [
      chainGid,
      addresses.map((entry) => entry.id),
      addresses.map((entry) => counts.get(entry.address) ?? 0),
      method,
      reason ?? null,
    ],
  );
}
