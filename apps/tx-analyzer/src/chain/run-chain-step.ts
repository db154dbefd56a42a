// SPDX-License-Identifier: Apache-2.0
import { withSpan } from '@chainwatch/platform/telemetry';
import type { Sql } from '@chainwatch/data/db';
import type { ChainFeed } from '../feed/chain-feed.ts';
import type { ProcessedBlock } from '../commit/commit-blocks.ts';
import { followDepth } from '../commit/follow-depth.ts';
import { runStep, type StepInput } from '../commit/run-step.ts';
import type { AssetRegistry } from '../match/asset-registry.ts';
import { findRetroactiveCandidates } from '../match/find-retroactive-candidates.ts';
import { movedTokens, prepareBlocks } from '../match/prepare-blocks.ts';
import type { MempoolAnalyzer } from '../mempool/mempool-analyzer.ts';
import type { BlocksStep, BlockToAnalyse } from '../model/blocks-step.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, nextCursor, statusOf, type ChainCursor } from '../model/chain-cursor.ts';
import type { Segment } from '../model/segment.ts';
import type { ChainWatch, RetroactiveAddress } from '../watch/chain-watch.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import type { ChainStatusReporter } from './chain-status-reporter.ts';
import { recordStep } from './record-step.ts';

type StepDeps = Pick<ChainAnalyzerDeps, 'db' | 'relay' | 'now'>;

/** The parts of a chain that take part in a step. */
export interface StepParts {
  readonly chain: ChainContext;
  readonly assets: AssetRegistry;
  readonly feed: ChainFeed;
  readonly mempool: MempoolAnalyzer;
  readonly preparer: StepPreparer;
  readonly status: ChainStatusReporter;
}

export interface StepWork {
  readonly segment: Segment;
  readonly watch: ChainWatch;
  readonly signal: AbortSignal;
}

/**
 * Prepares a segment together with what is retroactive, commits it with the cursor, and publishes its events. At the
 * head the step is a span in the block's trace. In a group there is no such span: each event keeps its block's trace.
 */
export async function runChainStep(deps: StepDeps, parts: StepParts, work: StepWork): Promise<void> {
  const { segment } = work;
  const [first, second] = segment.blocks;
  const traceparent = first?.entry.traceparent;
  if (first === undefined || second !== undefined || traceparent === undefined)
    return takeStep(deps, parts, work);
  const attributes = {
    ...{ chain_gid: parts.chain.gid, height: first.entry.number },
    ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'process' },
    'messaging.destination.name': 'block.new',
  };
  await withSpan('analyse block', { traceparent, kind: 'consumer', attributes }, (span) => {
    const entry = { ...first.entry, traceparent: span.traceparent };
    return takeStep(deps, parts, { ...work, segment: { ...segment, blocks: [{ ...first, entry }] } });
  });
}

/** What a step is to write. */
export async function planStep(
  { db, now }: Pick<StepDeps, 'db' | 'now'>,
  { chain, feed, mempool, preparer }: Pick<StepParts, 'chain' | 'feed' | 'mempool' | 'preparer'>,
  { segment, watch, signal }: StepWork,
): Promise<StepInput> {
  const { cursor } = feed;
  const blocks = segment.blocks.flatMap(({ entry, block }) =>
    block === undefined ? [] : [{ block, traceparent: entry.traceparent }],
  );
  const step = await preparer.prepare({ blocks, retroactive: watch.retroactive, cursor, signal });
  const next = nextCursor(cursor, segment, await findAncestorNumber(db, chain.gid, segment));
  const advance = {
    cursor: next,
    watchXid: watch.watchXid,
    isFarBehind: feed.isFarBehind(next),
    processed: segment.blocks.flatMap(({ entry: { hash }, block }): ProcessedBlock[] =>
      block === undefined ? [] : [{ hash, verification: block.verification ?? 'proved' }],
    ),
  };
  const at = now();
  const outcome = await mempool.findOutcome(step.blocks);
  return { segment, step, cursor, advance, outcome, now: at };
}

async function takeStep(deps: StepDeps, parts: StepParts, work: StepWork): Promise<void> {
  const startedAtMs = performance.now();
  const { db, relay, now } = deps;
  const { chain, assets, feed, mempool, status } = parts;
  const { segment, watch } = work;
  const input = await planStep(deps, parts, work);
  const { step, advance, outcome, now: at } = input;
  const { cursor: next } = advance;
  const { events, isReleased } = await runStep(chain, input);
  mempool.finish(outcome, events);
  feed.finish(segment, next, step.matches.length);
  watch.finishRetroactive();
  const moved = movedTokens([...step.retroactive, ...step.matches], chain.network.native?.gid);
  assets.markSaved(step.newAssets, moved.keys());
  status.reportStep(statusOf(advance));
  if (isReleased) void relay.catchUp();
  else if (!isHolding(next)) relay.publish(events);
  const height = {
    cursor: next,
    detectedBefore: step.blocks.length > 0 ? at : undefined,
    now: now(),
    traceparent: segment.blocks.findLast(({ block }) => block !== undefined)?.entry.traceparent,
  };
  const followed = await followDepth(db, chain, height);
  if (!isHolding(next)) relay.publish(followed);
  const [first] = segment.entries;
  recordStep(chain.gid, {
    waitSeconds: first && (Date.now() - first.seenAtMs) / 1_000,
    blocks: advance.processed.map(({ verification }) => verification),
    events: events.length + followed.length,
    lagBlocks: feed.lagBlocks,
    seconds: (performance.now() - startedAtMs) / 1000,
  });
}

/**
 * The number of the block that the orphans of a segment stand on. It need not be one below them, because chains
 * skip numbers. Undefined without orphans, and when they reach below every block that was followed: then their
 * parent was never a block of ours.
 */
async function findAncestorNumber(
  sql: Sql,
  chainGid: string,
  { orphans }: Pick<Segment, 'orphans'>,
): Promise<number | undefined> {
  const last = orphans.at(-1);
  if (last === undefined) return undefined;
  const { rows } = await sql.query<{ number: number }>(
    `SELECT number FROM blocks WHERE chain_gid = $1 AND hash = $2
     UNION ALL SELECT number FROM last_packed_block($1, $3::bigint - 1) WHERE hash = $2 LIMIT 1`,
    [chainGid, last.parentHash, last.number],
  );
  return rows[0]?.number;
}

type PassedBlockDeps = Parameters<typeof findRetroactiveCandidates>[0];

interface PreparerDeps {
  readonly prepare: Parameters<typeof prepareBlocks>[0];
  readonly passed: (signal: AbortSignal) => PassedBlockDeps;
}

interface Preparing {
  readonly blocks: readonly BlockToAnalyse[];
  readonly retroactive: readonly RetroactiveAddress[];
  readonly cursor: ChainCursor;
  readonly signal: AbortSignal;
}

/** Finds out what blocks and addresses that are retroactive mean. */
export class StepPreparer {
  readonly #deps: PreparerDeps;

  constructor(deps: PreparerDeps) {
    this.#deps = deps;
  }

  async prepare({ blocks, retroactive, cursor, signal }: Preparing): Promise<BlocksStep> {
    const candidates =
      retroactive.length === 0
        ? []
        : await findRetroactiveCandidates(this.#deps.passed(signal), retroactive, cursor.number ?? -1);
    return prepareBlocks(this.#deps.prepare, { blocks, retroactive, candidates, signal });
  }
}
