// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Coin } from '@chainwatch/chain-core';
import type { Sql, Transaction } from '@chainwatch/data/db';
import type { BackfillBatch } from './backfill-batch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';
import { listPassed, type CoinOwner, type PassedBlocks } from './find-passed.ts';
import type { BlockCandidates } from '../match/find-hits.ts';
import { findRetroactiveCandidates } from '../match/find-retroactive-candidates.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { movedTokens, prepareBlocks } from '../match/prepare-blocks.ts';
import { writeStep } from '../commit/run-step.ts';
import { commitBackfill } from './commit-backfill.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';

/** What a search for coins found, and what blocks analysed since then do to them. */
export interface CoinSearch {
  readonly found: EarlierCoins;
  readonly passed: PassedBlocks;
}

/**
 * One transaction: stores the coins that a backfill found, and applies to them the blocks analysed meanwhile, with
 * the same events as if the coins had been known then. False when some addresses have to be looked for again.
 */
export function commitCoins(batch: BackfillBatch, { found, passed }: CoinSearch): WriterWork<boolean> {
  const work = commitFound({
    ...{ addresses: batch.addresses, coins: found.coins, passed },
    store: (sql, chainGid) => commitBackfill(sql, { chainGid, batch, found }),
  });
  return async (context) => {
    const { value: committed, events } = await work(context);
    return { value: committed.length === batch.addresses.length, events };
  };
}

/** Coins of addresses, as they were before the block that each address counts from. */
export interface FoundCoins {
  readonly addresses: readonly CoinOwner[];
  readonly coins: readonly Coin[];
  readonly passed: PassedBlocks;
  /** Stores the coins in an open transaction (chain's row locked). Returns the addresses for which they are valid. */
  readonly store: (sql: Sql, chainGid: string) => Promise<readonly CoinOwner[]>;
}

/**
 * One transaction: stores coins, and applies to them the blocks analysed since the scan that found them. Returns the
 * addresses for which they are stored.
 */
export function commitFound(search: FoundCoins): WriterWork<readonly CoinOwner[]> {
  return async (context) => {
    // Before the transaction: it does not wait for a node.
    const candidates = await findInPassed(context, search);
    if (candidates === undefined) return { value: [], events: [] };
    // Added before the commit: the next block may spend one.
    context.chain.utxo?.coins.add(search.coins);
    const { events, committed } = await context.chain.share.transaction((sql) =>
      commitIn(sql, { context, search, candidates }),
    );
    return { value: committed, events };
  };
}

/** In all blocks passed since the addresses count. Undefined: the chain changed below what was searched. */
async function findInPassed(
  { db: sql, chain, ring, readBody, advance: { cursor } }: WriterContext,
  { addresses, coins, passed }: FoundCoins,
): Promise<readonly BlockCandidates[] | undefined> {
  const { upTo } = passed;
  if (upTo !== undefined && !(await isCanonical(sql, chain.gid, upTo))) return undefined;
  const to = cursor.number ?? -1;
  const left = listPassed(addresses, { from: (upTo?.number ?? -1) + 1, to });
  const deps = { sql, chainGid: chain.gid, ring, readBody, codec: chain.utxo?.codec, coins };
  return [...passed.candidates, ...(await findRetroactiveCandidates(deps, left, to))];
}

async function isCanonical(sql: Sql, chainGid: string, { number, hash }: BlockRef): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM canonical_blocks($1, $2, $2) WHERE hash = $3 AND status IN ('processed', 'confirmed')`,
    [chainGid, number, hash],
  );
  return rows.length > 0;
}

async function commitIn(
  sql: Transaction,
  {
    context,
    search,
    candidates,
  }: {
    readonly context: WriterContext;
    readonly search: FoundCoins;
    readonly candidates: readonly BlockCandidates[];
  },
): Promise<{ events: OutboxEvent[]; committed: readonly CoinOwner[] }> {
  const { chain, watch, assets, signal, advance, now } = context;
  const { cursor } = advance;
  const { gid: chainGid, family, network, utxo, setAsides } = chain;
  const committed = await search.store(sql, chainGid);
  const step = await prepareBlocks(
    { sql, chainGid, family, network, watch, assets, utxo, setAsides },
    {
      blocks: [],
      retroactive: listPassed(committed, { from: 0, to: cursor.number ?? -1 }),
      candidates,
      signal,
    },
  );
  const input = {
    segment: { entries: [], orphans: [], blocks: [] },
    step,
    cursor,
    advance,
    outcome: { mined: [], dropped: [] },
    now,
  };
  const events = await writeStep({ sql, chain, now }, input);
  assets.markSaved(step.newAssets, movedTokens(step.retroactive, network.native?.gid).keys());
  return { events, committed };
}
