// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { BalanceReads } from '../match/prepare-blocks.ts';
import { insertBalanceReadsSql, insertEvents } from './step-rows.ts';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import type { FeedEntry } from '../model/feed-entry.ts';
import { numberEvents } from './build-event.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import {
  compareByPosition,
  heldPairs,
  readStates,
  STATE_COLUMNS,
  type TransactionRow,
} from './read-states.ts';
import { SqlParams } from '../model/sql-params.ts';
import { settleAgain } from './settle-again.ts';
import { undoUtxos } from '../utxo/undo-utxos.ts';
import { endLaterSql } from './write-apart.ts';

const CHUNK_ROWS = 1_000;

/**
 * Undoes orphans (newest first) in an open transaction (chain's row locked): their transactions become `reorged`,
 * each with the next epoch and an event; coins return to their earlier state; balance readings of those blocks are
 * deleted and made again at the head.
 */
export async function commitReorg(
  { sql, chain, now }: StepTransaction,
  orphans: readonly FeedEntry[],
  cursor: ChainCursor,
): Promise<OutboxEvent[]> {
  const hashes = orphans.map((orphan) => orphan.hash);
  const traceparents = new Map(orphans.map((orphan) => [orphan.hash, orphan.traceparent]));
  const all: OutboxEvent[] = [];
  const reads = new BalanceReads();
  // No block is left: everything known came from a chain that no longer exists.
  const isEmptied = cursor.number === undefined;
  await lockUndone(sql, chain, hashes);
  for (;;) {
    const rows = await markReorged(sql, { chain, hashes: isEmptied ? undefined : hashes, now });
    const states = await readStates(sql, rows, chain.learn);
    const planned = states.map((state) => {
      const traceparent = traceparents.get(state.blockHash ?? '');
      return {
        type: 'transaction.reorged',
        state,
        traceparent,
      } as const;
    });
    const events = await numberEvents({ sql, chain }, planned, {
      headNumber: cursor.number ?? 0,
      createdAt: now,
    });
    await insertEvents(sql, events, isHolding(cursor));
    for (const state of states)
      for (const pair of heldPairs(chain, state)) reads.add({ ...pair, reason: 'reorged' });
    all.push(...events);
    if (rows.length < CHUNK_ROWS) break;
  }
  await sql.query({
    name: 'drop_unproved',
    text: 'DELETE FROM unproved_transactions WHERE chain_gid = $1 AND block_hash = ANY($2)',
    values: [chain.gid, hashes],
  });
  if (!isEmptied && chain.network.evidenceDelayMs !== undefined)
    await settleAgain(sql, chain, orphans.at(-1)!.number);
  if (isEmptied) await forgetWatches(sql, chain, orphans);
  else await lowerWatches(sql, chain, orphans);
  if (isEmptied) await lookForCoinsAgain(sql, chain, orphans);
  if (isEmptied) await readHistoriesAgain(sql, chain);
  let owners: readonly string[] = [];
  if (chain.utxo !== undefined) {
    const undone = await undoUtxos(sql, { chain, orphans, isEmptied });
    chain.utxo.coins.add(undone.unspent);
    owners = undone.owners;
  }
  await removeReadings(sql, { chain, hashes, owners, reads });
  if (reads.list().length > 0) {
    const params = new SqlParams();
    await sql.query({
      name: 'insert_reads',
      text: insertBalanceReadsSql(params, chain.gid, reads.list()),
      values: params.values,
    });
  }
  return all;
}

/**
 * Locks the blocks, so that whoever stores readings made in them has either finished or will see that they were
 * undone. The ingestor marks orphans; one that it found canonical again meanwhile is analysed once more.
 */
async function lockUndone(sql: Sql, chain: ChainContext, hashes: readonly string[]): Promise<void> {
  await sql.query({
    name: 'lock_undone',
    text: `WITH undone AS MATERIALIZED (SELECT id FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) ORDER BY id FOR UPDATE)
           UPDATE blocks SET status = CASE WHEN status = 'reorged' THEN status ELSE 'new' END, updated_at = now() FROM undone WHERE blocks.id = undone.id`,
    values: [chain.gid, hashes],
  });
}

/**
 * A payment made after a registration may return in a block below the head at registration: it must count there,
 * too. Coins spent below that head may be unspent again, so the backfill runs once more.
 */
async function lowerWatches(sql: Sql, chain: ChainContext, orphans: readonly FeedEntry[]): Promise<void> {
  const lowest = orphans.at(-1)!;
  await sql.query({
    name: 'lower_watches',
    text: `WITH lowered AS (UPDATE address_watches SET from_block = $2 WHERE chain_gid = $1 AND from_block > $2 AND feed_seq < $3 RETURNING address_id)
           UPDATE address_backfills b SET status = 'pending', next_block = NULL, to_block = NULL, updated_at = now()
           FROM lowered WHERE b.chain_gid = $1 AND b.address_id = lowered.address_id`,
    values: [chain.gid, lowest.number, lowest.seq],
  });
}

/**
 * The next block is a first block, at any height: earlier addresses count from it, as before the first activation.
 */
async function forgetWatches(sql: Sql, chain: ChainContext, orphans: readonly FeedEntry[]): Promise<void> {
  await sql.query({
    name: 'forget_watches',
    text: 'DELETE FROM address_watches WHERE chain_gid = $1 AND feed_seq < $2',
    values: [chain.gid, orphans.at(-1)!.seq],
  });
}

/** For addresses that count from the first block followed, or from a later one. */
async function lookForCoinsAgain(
  sql: Sql,
  chain: ChainContext,
  orphans: readonly FeedEntry[],
): Promise<void> {
  await sql.query({
    name: 'look_for_coins_again',
    text: `UPDATE address_backfills b SET status = 'pending', next_block = NULL, to_block = NULL, updated_at = now()
           WHERE b.chain_gid = $1 AND NOT EXISTS (SELECT FROM address_watches w WHERE w.chain_gid = $1 AND w.address_id = b.address_id AND w.feed_seq >= $2)`,
    values: [chain.gid, orphans[0]!.seq],
  });
}

async function readHistoriesAgain(sql: Sql, chain: ChainContext): Promise<void> {
  await sql.query({
    name: 'read_histories_again',
    text: `UPDATE address_histories SET status = 'pending', next_block = from_block, to_block = NULL, transaction_count = 0, not_covered = '[]', revision = revision + 1, updated_at = now()
           WHERE chain_gid = $1`,
    values: [chain.gid],
  });
}

/** @param hashes of the blocks that are undone; undefined: all of them, those before the first that was followed, too */
async function markReorged(
  sql: Sql,
  {
    chain,
    hashes,
    now,
  }: { readonly chain: ChainContext; readonly hashes: readonly string[] | undefined; readonly now: Date },
): Promise<TransactionRow[]> {
  const { rows } = await sql.query<TransactionRow>({
    name: `mark_reorged_${hashes === undefined ? 'all' : 'blocks'}`,
    text: `WITH marked AS (UPDATE transactions SET status = 'reorged', epoch = epoch + 1, reorged_at = $3, confirmed_at = NULL, matures_at_block = NULL
           WHERE id IN (SELECT id FROM transactions WHERE chain_gid = $1 AND ${hashes === undefined ? '$2::text[] IS NULL AND block_hash IS NOT NULL' : 'block_hash = ANY($2)'} AND status IN ('detected', 'confirmed', 'failed')
                        ORDER BY block_number DESC LIMIT ${CHUNK_ROWS})
           RETURNING ${STATE_COLUMNS}), ended AS (${endLaterSql('marked')}) SELECT * FROM marked`,
    values: [chain.gid, hashes ?? null, now],
  });
  return rows.sort((a, b) => compareByPosition(b, a));
}

/**
 * Transactions known at the time explained the difference between two readings; when the block returns, there may
 * be more. Withdrawals, rebases, and corrected coins have no transaction: their readings, and the owners of the coins
 * that changed, are the only reason to ask for them again.
 */
async function removeReadings(
  sql: Sql,
  {
    chain,
    hashes,
    owners,
    reads,
  }: {
    readonly chain: ChainContext;
    readonly hashes: readonly string[];
    readonly owners: readonly string[];
    readonly reads: BalanceReads;
  },
): Promise<void> {
  const { rows } = await sql.query<{ address_id: string; asset_gid: string }>(
    // Addresses are locked first, as by whoever deletes one: its readings are deleted with it.
    `WITH kept AS MATERIALIZED (
       SELECT id, chain_family, address FROM addresses WHERE id IN (
         SELECT address_id FROM balance_history WHERE chain_gid = $1 AND block_hash = ANY($2)
         UNION ALL SELECT address_id FROM block_changes WHERE chain_gid = $1 AND block_hash = ANY($2)
         UNION ALL SELECT id FROM addresses WHERE chain_family = $3 AND address = ANY($4) AND is_monitored
       ) ORDER BY id FOR KEY SHARE
     ), changes AS (
       DELETE FROM block_changes c USING kept WHERE c.chain_gid = $1 AND c.block_hash = ANY($2) AND c.address_id = kept.id
     ), differences AS (
       DELETE FROM adjustments j USING kept WHERE j.chain_gid = $1 AND j.block_hash = ANY($2) AND j.address_id = kept.id
     ), readings AS (
       DELETE FROM balance_history h USING kept WHERE h.chain_gid = $1 AND h.block_hash = ANY($2) AND h.address_id = kept.id
       RETURNING h.address_id, h.asset_gid
     )
     SELECT address_id, asset_gid FROM readings
     UNION SELECT id, $5 FROM kept WHERE chain_family = $3 AND address = ANY($4)`,
    [chain.gid, hashes, chain.family, owners, chain.network.native?.gid ?? null],
  );
  for (const row of rows)
    reads.add({ addressId: row.address_id, assetGid: row.asset_gid, reason: 'reorged' });
}
