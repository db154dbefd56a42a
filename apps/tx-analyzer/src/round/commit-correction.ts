// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Coin } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { insertCoins } from '../backfill/commit-backfill.ts';
import { commitFound } from '../backfill/commit-coins.ts';
import type { CoinOwner } from '../backfill/find-passed.ts';
import { markUsed } from '../commit/mark-used.ts';
import type { WriterWork } from '../commit/writer-queue.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { CoinDifference } from './coin-difference.ts';
import { handOver } from './store-doubts.ts';

interface Correction {
  readonly chain: Pick<ChainContext, 'gid' | 'family' | 'network'>;
  /** Differences that two scans have shown, at least one. */
  readonly differences: readonly CoinDifference[];
  /** The block of the second scan. */
  readonly at: BlockRef;
}

/**
 * One transaction: makes the coins what two scans have shown, applies to them the blocks analysed since the second one as
 * an import does, and hands the balances to the balance service. False: the block is not canonical any more.
 */
export function commitCorrection(correction: Correction, owners: readonly CoinOwner[]): WriterWork<boolean> {
  const { differences, at, chain } = correction;
  const coins = differences.flatMap(({ txid, vout, address, told }): Coin[] =>
    told === undefined ? [] : [{ txid, vout, address, ...told }],
  );
  const gone = differences.filter(({ told }) => told === undefined);
  const paid = new Set(coins.map(({ address }) => address));
  const work = commitFound({
    addresses: owners.filter(({ address }) => paid.has(address)),
    coins,
    passed: { candidates: [], upTo: at },
    store: async (sql) => {
      if (!(await isStanding(sql, chain.gid, at))) return [];
      const watched = await lockOwners(sql, owners);
      await markGone(sql, chain.gid, { at, gone });
      await deleteWrong(sql, chain.gid, coins);
      await insertCoins(sql, chain.gid, coins);
      await markUsed(
        sql,
        watched.filter(({ address }) => paid.has(address)).map(({ id }) => id),
      );
      await handOver(sql, chain, { differences, at });
      return watched;
    },
  });
  return async (context) => {
    const { value, events } = await work(context);
    return { value: value.length > 0, events };
  };
}

/** By the analyzer's own step: no block is undone meanwhile. */
async function isStanding(sql: Sql, chainGid: string, { number, hash }: BlockRef): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM canonical_blocks($1, $2, $2) b JOIN analyzer_states s ON s.chain_gid = b.chain_gid
     WHERE b.hash = $3 AND b.status IN ('processed', 'confirmed') AND s.cursor_number >= $2`,
    [chainGid, number, hash],
  );
  return rows.length > 0;
}

/** Addresses are locked first, as by whoever deletes one. */
async function lockOwners(sql: Sql, owners: readonly CoinOwner[]): Promise<readonly CoinOwner[]> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM addresses WHERE id = ANY($1) AND is_monitored ORDER BY id FOR KEY SHARE',
    [owners.map(({ id }) => id)],
  );
  const locked = new Set(rows.map(({ id }) => id));
  return owners.filter(({ id }) => locked.has(id));
}

/**
 * Who spent them is not known: they are gone from the scan's block on, so that a reorg of that block brings them back. One
 * that a block has spent meanwhile was there.
 */
async function markGone(
  sql: Sql,
  chainGid: string,
  { at, gone }: { readonly at: BlockRef; readonly gone: readonly CoinDifference[] },
): Promise<void> {
  if (gone.length === 0) return;
  const params = new SqlParams();
  const source = params.unnest(gone, [
    ['text', ({ txid }) => txid],
    ['integer', ({ vout }) => vout],
    ['text', ({ address }) => address],
    ['numeric', ({ knownRaw }) => String(knownRaw)],
  ]);
  await sql.query(
    `UPDATE utxos u SET spent_block_number = ${params.add(at.number, 'bigint')}, spent_block_hash = ${params.add(at.hash, 'text')}
     FROM ${source} AS g (txid, vout, address, amount_raw)
     WHERE u.chain_gid = ${params.add(chainGid, 'text')} AND u.txid = g.txid AND u.vout = g.vout AND u.address = g.address AND u.amount_raw = g.amount_raw AND u.spent_block_number IS NULL`,
    params.values,
  );
}

/** Coins that are inserted again, as the node has them. */
async function deleteWrong(sql: Sql, chainGid: string, coins: readonly Coin[]): Promise<void> {
  await sql.query(
    `DELETE FROM utxos u USING unnest($2::text[], $3::integer[]) AS c (txid, vout)
     WHERE u.chain_gid = $1 AND u.txid = c.txid AND u.vout = c.vout AND u.spent_by IS NULL`,
    [chainGid, coins.map(({ txid }) => txid), coins.map(({ vout }) => vout)],
  );
}
