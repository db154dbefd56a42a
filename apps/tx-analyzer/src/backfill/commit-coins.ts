import type { Transaction } from '@chainwatch/db';
import type { BackfillBatch } from './backfill-batch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';
import { findRetroactiveCandidates } from '../match/find-retroactive-candidates.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { movedTokens, prepareBlocks } from '../match/prepare-blocks.ts';
import { writeStep } from '../commit/run-step.ts';
import { commitBackfill } from './commit-backfill.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';

/**
 * One transaction: stores the coins that a backfill found, and applies to them the blocks analysed meanwhile, with
 * the same events as if the coins had been known then. False when some addresses have to be looked for again.
 */
export function commitCoins(batch: BackfillBatch, found: EarlierCoins): WriterWork<boolean> {
  return async (context) => {
    // Added before the commit: the next block may spend one.
    context.chain.utxo?.coins.add(found.coins);
    const { events, committedCount } = await context.chain.share.transaction((sql) =>
      commitIn(sql, { context, batch, found }),
    );
    return { value: committedCount === batch.addresses.length, events };
  };
}

async function commitIn(
  sql: Transaction,
  {
    context,
    batch,
    found,
  }: { readonly context: WriterContext; readonly batch: BackfillBatch; readonly found: EarlierCoins },
): Promise<{ events: OutboxEvent[]; committedCount: number }> {
  const { chain, watch, assets, ring, readBody, signal, advance, now } = context;
  const { cursor } = advance;
  const { gid: chainGid, family, network, utxo } = chain;
  const committed = await commitBackfill(sql, { chainGid, batch, found });
  const passed = cursor.number ?? -1;
  const retroactive = committed
    .filter((entry) => entry.watchedFrom <= passed)
    .map(({ id, address, watchedFrom }) => ({ id, address, fromBlock: watchedFrom }));
  const candidates = await findRetroactiveCandidates(
    { sql, chainGid, ring, readBody, codec: utxo?.codec },
    retroactive,
    passed,
  );
  const step = await prepareBlocks(
    { sql, chainGid, family, network, watch, assets, utxo },
    { blocks: [], retroactive, candidates, signal },
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
  assets.markSaved(step.newAssets, movedTokens(step.retroactive, network.native.gid));
  return { events, committedCount: committed.length };
}
