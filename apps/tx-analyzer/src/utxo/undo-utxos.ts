// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Outpoint } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { forgetUnproved } from './unproved-coins.ts';

export interface UndoneCoins {
  /** Coins that are unspent again. */
  readonly unspent: readonly Outpoint[];
  /** Whose coins changed: scans corrected some of them, so that no transaction asks for a reading. */
  readonly owners: readonly string[];
}

/**
 * Undoes what orphans (newest first) did to coins, in an open transaction (chain's row locked): deletes the coins
 * that they created, and makes those that they spent unspent again. A coin found by a scan has no block hash, so its
 * height decides whether its branch is gone. `isEmptied`: no block of that chain is left.
 */
export async function undoUtxos(
  sql: Sql,
  {
    chain,
    orphans,
    isEmptied,
  }: { readonly chain: ChainContext; readonly orphans: readonly BlockRef[]; readonly isEmptied: boolean },
): Promise<UndoneCoins> {
  const lowest = isEmptied ? 0 : orphans.at(-1)!.number;
  const hashes = orphans.map((orphan) => orphan.hash);
  const { rows: deleted } = await sql.query<{ address: string }>({
    name: 'undo_coins',
    text: 'DELETE FROM utxos WHERE chain_gid = $1 AND block_number >= $2 AND (block_hash IS NULL OR block_hash = ANY($3)) RETURNING address',
    values: [chain.gid, lowest, hashes],
  });
  await forgetUnproved(sql, chain, hashes);
  const { rows: unspent } = await sql.query<Outpoint & { readonly address: string }>({
    name: 'undo_spends',
    text: `UPDATE utxos SET spent_by = NULL, spent_block_number = NULL, spent_block_hash = NULL
           WHERE chain_gid = $1 AND spent_block_number >= $2 AND (spent_block_hash IS NULL OR spent_block_hash = ANY($3))
           RETURNING txid, vout, address`,
    values: [chain.gid, lowest, hashes],
  });
  return {
    unspent: unspent.map(({ txid, vout }) => ({ txid, vout })),
    owners: [...new Set([...deleted, ...unspent].map(({ address }) => address))],
  };
}
