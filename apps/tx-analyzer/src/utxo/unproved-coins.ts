// SPDX-License-Identifier: Apache-2.0
import { nativeOf } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { verificationSql } from '../model/verification-sql.ts';
import { coinColumns, outpointColumns, spendColumns } from './coin-columns.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { CreatedCoin, SpentCoin } from '../model/utxo-changes.ts';

/**
 * Stores what transactions without evidence would do to coins, apart from the coins that count. Undone when its block
 * becomes an orphan (`forgetUnproved`), applied once more stands behind the transaction (`releaseCoins`).
 */
export async function insertUnproved(
  sql: Sql,
  chain: Pick<ChainContext, 'gid'>,
  { created, spent }: { readonly created: readonly CreatedCoin[]; readonly spent: readonly SpentCoin[] },
): Promise<void> {
  const coins = new SqlParams();
  const coinSource = coins.unnest(created, coinColumns);
  // What one node told first stays, as in unproved_transactions, and so does what counts already.
  await sql.query(
    `INSERT INTO unproved_coins (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
     SELECT c.gid, s.* FROM (SELECT ${coins.add(chain.gid, 'text')} AS gid) AS c, ${coinSource} AS s (txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
     WHERE NOT EXISTS (SELECT FROM utxos u WHERE u.chain_gid = c.gid AND u.txid = s.txid AND u.vout = s.vout AND u.block_hash = s.block_hash) ON CONFLICT DO NOTHING`,
    coins.values,
  );
  const spends = new SqlParams();
  const spendSource = spends.unnest(spent, [...outpointColumns, ...spendColumns]);
  await sql.query(
    `INSERT INTO unproved_spends (chain_gid, txid, vout, spent_by, spent_block_number, spent_block_hash)
     SELECT c.gid, s.* FROM (SELECT ${spends.add(chain.gid, 'text')} AS gid) AS c, ${spendSource} AS s (txid, vout, spent_by, block_number, block_hash)
     WHERE NOT EXISTS (SELECT FROM utxos u WHERE u.chain_gid = c.gid AND u.txid = s.txid AND u.vout = s.vout AND u.spent_by = s.spent_by AND u.spent_block_hash = s.block_hash) ON CONFLICT DO NOTHING`,
    spends.values,
  );
}

/** The blocks are orphans, or what is true of them is written: nothing of theirs waits any more. */
export async function forgetUnproved(
  sql: Sql,
  chain: Pick<ChainContext, 'gid'>,
  blockHashes: readonly string[],
): Promise<void> {
  await sql.query('DELETE FROM unproved_coins WHERE chain_gid = $1 AND block_hash = ANY($2)', [
    chain.gid,
    blockHashes,
  ]);
  await sql.query('DELETE FROM unproved_spends WHERE chain_gid = $1 AND spent_block_hash = ANY($2)', [
    chain.gid,
    blockHashes,
  ]);
}

/**
 * In an open transaction (chain's row locked): blocks are about to be written again. Coins of their transactions that were
 * never proved go, whatever stood behind them, since the truth may have others under the same outpoints. Who spends them in
 * another block is remembered until they are there again.
 */
export async function beginAgain(
  sql: Sql,
  chain: Pick<ChainContext, 'gid'>,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  await forgetUnproved(sql, chain, hashes);
  await sql.query(
    `WITH doubted AS (
       SELECT DISTINCT t.hash, t.block_hash FROM transactions t
       WHERE t.chain_gid = $1 AND t.block_hash = ANY($2) AND ${verificationSql('t.')} IN ('agreed', 'trusted', 'unproved')),
     gone AS (DELETE FROM utxos u USING doubted d WHERE u.chain_gid = $1 AND u.txid = d.hash AND u.block_hash = d.block_hash RETURNING u.*)
     INSERT INTO unproved_spends (chain_gid, txid, vout, spent_by, spent_block_number, spent_block_hash, is_released)
     SELECT chain_gid, txid, vout, spent_by, spent_block_number, spent_block_hash, true FROM gone
     WHERE spent_by IS NOT NULL AND spent_block_hash <> ALL ($2) ON CONFLICT DO NOTHING`,
    [chain.gid, hashes],
  );
  await sql.query(
    `UPDATE utxos u SET spent_by = NULL, spent_block_number = NULL, spent_block_hash = NULL
     FROM transactions t WHERE t.chain_gid = $1 AND t.block_hash = ANY($2) AND u.chain_gid = $1 AND u.spent_by = t.hash AND u.spent_block_hash = t.block_hash
       AND ${verificationSql('t.')} IN ('agreed', 'trusted', 'unproved')`,
    [chain.gid, hashes],
  );
}

/** A transaction in its block. */
export interface ReleasedTransaction {
  readonly hash: string;
  readonly blockHash: string;
}

/**
 * In an open transaction (chain's row locked): more stands behind these transactions now. Their coins count, what they
 * spend is spent, their derived addresses are used, and the balances of whoever takes part are read again. A spend of a
 * coin that does not count itself is applied with that coin; one of a coin that another transaction spends is not.
 */
export async function releaseCoins(
  sql: Sql,
  chain: Pick<ChainContext, 'gid' | 'network'>,
  released: readonly ReleasedTransaction[],
): Promise<void> {
  const of = [chain.gid, released.map(({ hash }) => hash), released.map(({ blockHash }) => blockHash)];
  const these = 'unnest($2::text[], $3::text[]) AS r (hash, block_hash)';
  await sql.query(
    `WITH moved AS (DELETE FROM unproved_coins c USING ${these} WHERE c.chain_gid = $1 AND c.txid = r.hash AND c.block_hash = r.block_hash RETURNING c.*)
     INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
     SELECT chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash FROM moved ON CONFLICT DO NOTHING`,
    of,
  );
  await sql.query(
    `UPDATE unproved_spends s SET is_released = true FROM ${these} WHERE s.chain_gid = $1 AND s.spent_by = r.hash AND s.spent_block_hash = r.block_hash`,
    of,
  );
  await sql.query(
    `WITH spent AS (
       UPDATE utxos u SET spent_by = s.spent_by, spent_block_number = s.spent_block_number, spent_block_hash = s.spent_block_hash
       FROM unproved_spends s WHERE s.chain_gid = $1 AND s.is_released AND u.chain_gid = s.chain_gid AND u.txid = s.txid AND u.vout = s.vout AND u.spent_by IS NULL
       RETURNING u.txid, u.vout)
     DELETE FROM unproved_spends s USING spent WHERE s.chain_gid = $1 AND s.is_released AND s.txid = spent.txid AND s.vout = spent.vout`,
    [chain.gid],
  );
  await sql.query(
    `UPDATE addresses a SET is_used = true, updated_at = now() FROM (
       SELECT DISTINCT o.id FROM ${these} JOIN transactions t ON t.chain_gid = $1 AND t.hash = r.hash AND t.block_hash = r.block_hash
       JOIN transaction_addresses ta ON ta.transaction_id = t.id JOIN addresses o ON o.id = ta.address_id AND o.public_key_id IS NOT NULL AND NOT o.is_used) u
     WHERE a.id = u.id`,
    of,
  );
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
     SELECT DISTINCT $1, ta.address_id, $4::text, 'detected' FROM ${these} JOIN transactions t ON t.chain_gid = $1 AND t.hash = r.hash AND t.block_hash = r.block_hash
     JOIN transaction_addresses ta ON ta.transaction_id = t.id`,
    [...of, nativeOf(chain.network).gid],
  );
}

/**
 * The last block with a transaction that lacks evidence only for what it spends: a coin of these blocks, which counts now.
 * Undefined where there is none.
 */
export async function findLastSpender(
  sql: Sql,
  chain: Pick<ChainContext, 'gid'>,
  blockHashes: readonly string[],
): Promise<number | undefined> {
  const { rows } = await sql.query<{ last: number | null }>(
    `SELECT max(s.spent_block_number) AS last FROM utxos u JOIN unproved_spends s ON s.chain_gid = u.chain_gid AND s.txid = u.txid AND s.vout = u.vout
     WHERE u.chain_gid = $1 AND u.block_hash = ANY($2)`,
    [chain.gid, blockHashes],
  );
  return rows[0]?.last ?? undefined;
}
