// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { SqlParams } from '../model/sql-params.ts';
import { coinColumns, outpointColumns, spendColumns } from './coin-columns.ts';
import { insertUnproved } from './unproved-coins.ts';
import type { CreatedCoin, SpentCoin, UtxoChanges } from '../model/utxo-changes.ts';

/**
 * Writes what a step did to the coins of watched addresses, in an open transaction (chain's row locked). Writing
 * the same again changes nothing. Spends of existing coins are written first: one of those coins may be created
 * again (BIP-30).
 */
export async function writeUtxos(sql: Sql, chain: ChainContext, changes: UtxoChanges): Promise<void> {
  if (changes.spent.length > 0) await markSpent(sql, chain, changes.spent);
  if (changes.created.length > 0) await insertCoins(sql, chain, changes.created);
  const { created, spent } = changes.unproved;
  if (created.length > 0 || spent.length > 0) await insertUnproved(sql, chain, { created, spent });
}

async function markSpent(sql: Sql, chain: ChainContext, spent: readonly SpentCoin[]): Promise<void> {
  const params = new SqlParams();
  const source = params.unnest(spent, [...outpointColumns, ...spendColumns]);
  await sql.query({
    name: 'mark_coins_spent',
    text: `UPDATE utxos u SET spent_by = s.spent_by, spent_block_number = s.spent_block_number, spent_block_hash = s.spent_block_hash
           FROM ${source} AS s (txid, vout, spent_by, spent_block_number, spent_block_hash)
           WHERE u.chain_gid = ${params.add(chain.gid, 'text')} AND u.txid = s.txid AND u.vout = s.vout
             AND (u.spent_by, u.spent_block_hash) IS DISTINCT FROM (s.spent_by, s.spent_block_hash)`,
    values: params.values,
  });
}

/**
 * An existing coin keeps its block, as BIP-30 has it for a coinbase that repeats an unspent one, unless it is known
 * only from a scan, or was spent before it was created again.
 */
async function insertCoins(sql: Sql, chain: ChainContext, created: readonly CreatedCoin[]): Promise<void> {
  const params = new SqlParams();
  const source = params.unnest(created, [...coinColumns, ...spendColumns]);
  const isNew = 'u.spent_block_number < EXCLUDED.block_number';
  await sql.query({
    name: 'insert_coins',
    text: `INSERT INTO utxos AS u (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash, spent_by, spent_block_number, spent_block_hash)
      SELECT ${params.add(chain.gid, 'text')}, s.* FROM ${source} AS s
      ON CONFLICT (chain_gid, txid, vout) DO UPDATE SET
        block_number = CASE WHEN ${isNew} OR u.block_hash IS NULL THEN EXCLUDED.block_number ELSE u.block_number END,
        block_hash = CASE WHEN ${isNew} OR u.block_hash IS NULL THEN EXCLUDED.block_hash ELSE u.block_hash END,
        spent_by = CASE WHEN ${isNew} OR EXCLUDED.spent_by IS NOT NULL THEN EXCLUDED.spent_by ELSE u.spent_by END,
        spent_block_number = CASE WHEN ${isNew} OR EXCLUDED.spent_by IS NOT NULL THEN EXCLUDED.spent_block_number ELSE u.spent_block_number END,
        spent_block_hash = CASE WHEN ${isNew} OR EXCLUDED.spent_by IS NOT NULL THEN EXCLUDED.spent_block_hash ELSE u.spent_block_hash END
      WHERE ${isNew} OR u.block_hash IS NULL
        OR EXCLUDED.spent_by IS NOT NULL AND (u.spent_by, u.spent_block_hash) IS DISTINCT FROM (EXCLUDED.spent_by, EXCLUDED.spent_block_hash)`,
    values: params.values,
  });
}
