import { withSpan } from '@chainwatch/telemetry';
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { ChainFeed } from '../feed/chain-feed.ts';
import { followDepth } from '../commit/follow-depth.ts';
import { runStep } from '../commit/run-step.ts';
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
interface StepParts {
  readonly chain: ChainContext;
  readonly assets: AssetRegistry;
  readonly feed: ChainFeed;
  readonly mempool: MempoolAnalyzer;
  readonly preparer: StepPreparer;
  readonly status: ChainStatusReporter;
}

interface StepWork {
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
  const attributes = { chain_gid: parts.chain.gid, height: first.entry.number };
  await withSpan('analyse block', { traceparent, kind: 'consumer', attributes }, (span) => {
    const entry = { ...first.entry, traceparent: span.traceparent };
    return takeStep(deps, parts, { ...work, segment: { ...segment, blocks: [{ ...first, entry }] } });
  });
}

async function takeStep(
  { db, relay, now }: StepDeps,
  { chain, assets, feed, mempool, preparer, status }: StepParts,
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
  else if (!isHolding(next)) relay.publish(events);
  const height = {
    cursor: next,
    detectedBefore: blocks.length > 0 ? at : undefined,
    now: now(),
    traceparent: blocks.at(-1)?.traceparent,
  };
  const followed = await followDepth(db, chain, height);
  if (!isHolding(next)) relay.publish(followed);
  const [first] = segment.entries;
  recordStep(chain.gid, {
    waitSeconds: first && (Date.now() - first.seenAtMs) / 1_000,
    blocks: segment.blocks.length,
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
    'SELECT number FROM blocks WHERE chain_gid = $1 AND hash = $2',
    [chainGid, last.parentHash],
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

/** A preparation older than this is made anew: addresses may have been changed or removed. */
const EARLY_MS = 500;

interface Early {
  readonly block: Block;
  readonly cursor: ChainCursor;
  readonly step: BlocksStep;
  readonly atMs: number;
}

/** Finds out what blocks mean. The next block may be prepared before its entry of the feed is there. */
export class StepPreparer {
  readonly #deps: PreparerDeps;
  #early: Early | undefined;

  constructor(deps: PreparerDeps) {
    this.#deps = deps;
  }

  /** Prepares the block that follows `cursor` in advance, unless that was done a moment ago. */
  async prepareEarly(block: Block, cursor: ChainCursor, signal: AbortSignal): Promise<void> {
    if (block.parentHash !== cursor.hash || this.#findEarly(block, cursor) !== undefined) return;
    const atMs = performance.now();
    const step = await this.prepare({ blocks: [{ block }], retroactive: [], cursor, signal });
    this.#early = { block, cursor, step, atMs };
  }

  async prepare({ blocks, retroactive, cursor, signal }: Preparing): Promise<BlocksStep> {
    const [first, second] = blocks;
    const isSingle = first !== undefined && second === undefined && retroactive.length === 0;
    const early = isSingle ? this.#findEarly(first.block, cursor) : undefined;
    if (early !== undefined) {
      this.forgetEarly();
      return withTraceparent(early, first?.traceparent);
    }
    const candidates =
      retroactive.length === 0
        ? []
        : await findRetroactiveCandidates(this.#deps.passed(signal), retroactive, cursor.number ?? -1);
    return prepareBlocks(this.#deps.prepare, { blocks, retroactive, candidates, signal });
  }

  /** Addresses were added: a preparation without them is incomplete. */
  forgetEarly(): void {
    this.#early = undefined;
  }

  #findEarly(block: Block, cursor: ChainCursor): BlocksStep | undefined {
    const early = this.#early;
    return early?.block === block && early.cursor === cursor && performance.now() - early.atMs < EARLY_MS
      ? early.step
      : undefined;
  }
}

function withTraceparent(step: BlocksStep, traceparent: string | undefined): BlocksStep {
  if (traceparent === undefined) return step;
  return {
    ...step,
    matches: step.matches.map((match) => ({ ...match, traceparent })),
    reads: step.reads.map((read) => ({ ...read, traceparent })),
  };
}
