import { findAncestorNumber, nextCursor } from '../feed/next-cursor.ts';
import { statusOf } from '../commit/advance-cursor.ts';
import { followDepth } from '../commit/follow-depth.ts';
import { runStep } from '../commit/run-step.ts';
import { movedTokens } from '../match/prepare-blocks.ts';
import type { Segment } from '../model/segment.ts';
import type { ChainWatch } from '../watch/chain-watch.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import type { ChainParts } from './chain-parts.ts';
import { recordStep } from './record-step.ts';

interface StepWork {
  readonly segment: Segment;
  readonly watch: ChainWatch;
  readonly signal: AbortSignal;
}

/** Prepares a segment together with what is retroactive, commits it with the cursor, and publishes its events. */
export async function runChainStep(
  { db, relay, now }: Pick<ChainAnalyzerDeps, 'db' | 'relay' | 'now'>,
  { chain, assets, feed, mempool, preparer, status }: ChainParts,
  { segment, watch, signal }: StepWork,
): Promise<void> {
  const startedAtMs = performance.now();
  const { cursor } = feed;
  const blocks = segment.blocks.flatMap(({ entry, block }) =>
    block === undefined ? [] : [{ block, traceparent: entry.traceparent }],
  );
  const step = await preparer.prepare({ blocks, retroactive: watch.retroactive, cursor, signal });
  const next = nextCursor(cursor, segment, await findAncestorNumber(db, chain.gid, segment));
  const advance = {
    cursor: next,
    watchXid: watch.watchXid,
    lagEntries: feed.lagEntries(next),
    processedHashes: segment.blocks.map(({ entry }) => entry.hash),
  };
  const at = now();
  const outcome = await mempool.findOutcome(blocks.map(({ block }) => block));
  const { events, isReleased } = await runStep(chain, {
    segment,
    step,
    cursor,
    advance,
    outcome,
    now: at,
  });
  mempool.finish(outcome, events);
  feed.finish(segment, next, step.matches.length);
  watch.finishRetroactive();
  const moved = movedTokens([...step.retroactive, ...step.matches], chain.network.native.gid);
  assets.markSaved(step.newAssets, moved);
  status.reportStep(statusOf(advance));
  if (isReleased) void relay.catchUp();
  else if (status.status !== 'recovering') relay.publish(events);
  const height = {
    cursor: next,
    detectedBefore: blocks.length > 0 ? at : undefined,
    now: now(),
    traceparent: blocks.at(-1)?.traceparent,
  };
  const followed = await followDepth(db, chain, height);
  if (status.status !== 'recovering') relay.publish(followed);
  const [first] = segment.entries;
  recordStep(chain.gid, {
    waitSeconds: first && (Date.now() - first.seenAtMs) / 1_000,
    blocks: segment.blocks.length,
    events: events.length + followed.length,
    lagBlocks: feed.lagBlocks,
    seconds: (performance.now() - startedAtMs) / 1000,
  });
}
