// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import type { Block } from '@chainwatch/chain-core';
import type { BodyPrefetcher } from './body-prefetcher.ts';
import type { ChainCursor } from '../model/chain-cursor.ts';
import type { Segment } from '../model/segment.ts';
import type { FeedEntry } from '../model/feed-entry.ts';

/** What follows the cursor. */
interface Ahead {
  readonly queue: readonly FeedEntry[];
  readonly bodies: Pick<BodyPrefetcher, 'find'>;
  readonly cursor: ChainCursor;
  readonly limits: SegmentLimits;
}

interface SegmentLimits {
  readonly blocksMax: number;
  readonly transactionsMax: number;
}

const ORPHANS_MAX = 512;
const MATCHES_PER_STEP = 500;
/**
 * At the head a block is committed alone and finality in the next step, so that detection does not wait for
 * finality.
 */
const AT_HEAD_BLOCKS = 2;

/** The feed contradicts the cursor. It is never skipped: the chain stops with this reason. */
export class FeedMismatchError extends BaseError {
  readonly code = 'feed_mismatch';
  readonly retryable = true;
  constructor(entry: FeedEntry, expected: string | undefined, got: string) {
    super(
      `feed entry ${entry.seq} (${entry.type} ${entry.number}): expected the chain to stand at ${expected}, got ${got}`,
    );
  }
}

/**
 * The next entries that can be done now: their bodies have arrived, and each links to the one before. Undefined
 * when the next body has not arrived yet.
 * @throws FeedMismatchError
 */
export function nextSegment(ahead: Ahead): Segment | undefined {
  const first = ahead.queue[0];
  if (first === undefined) return undefined;
  return first.type === 'reorg' ? collectOrphans(ahead) : collectBlocks(ahead);
}

/**
 * The number of blocks that likely give MATCHES_PER_STEP matches, judged by the last blocks: a step stays short,
 * with few rows.
 */
export function groupBlocks(matchesPerBlock: number, blocksMax: number): number {
  const fitting =
    matchesPerBlock > 0 ? Math.ceil(MATCHES_PER_STEP / matchesPerBlock) : Number.MAX_SAFE_INTEGER;
  return Math.max(1, Math.min(fitting, blocksMax));
}

function collectOrphans({ queue, cursor }: Ahead): Segment {
  const orphans: FeedEntry[] = [];
  let tip = cursor.hash;
  for (const entry of queue) {
    if (entry.type !== 'reorg' || orphans.length >= ORPHANS_MAX) break;
    if (entry.hash !== tip && orphans.length > 0) break;
    if (entry.hash !== tip) throw new FeedMismatchError(entry, entry.hash, tip ?? 'no block');
    tip = entry.parentHash;
    orphans.push(entry);
  }
  return { entries: orphans, orphans, blocks: [] };
}

function collectBlocks({ queue, bodies, cursor, limits }: Ahead): Segment | undefined {
  const blocks: { entry: FeedEntry; block?: Block }[] = [];
  let finalize: FeedEntry | undefined;
  let tip = cursor.hash;
  let transactionCount = 0;
  let taken = 0;
  for (const entry of queue) {
    if (entry.type === 'reorg') break;
    if (entry.type === 'finalize') {
      if (blocks.length > 0 && blocks.length <= AT_HEAD_BLOCKS) break;
      finalize = entry;
    } else {
      const body = bodies.find(entry.seq);
      if (
        body?.isReady !== true ||
        blocks.length >= limits.blocksMax ||
        transactionCount >= limits.transactionsMax
      )
        break;
      // The good entries before it go first.
      if (tip !== undefined && entry.parentHash !== tip && taken > 0) break;
      if (tip !== undefined && entry.parentHash !== tip)
        throw new FeedMismatchError(entry, entry.parentHash, tip);
      tip = entry.hash;
      if (body.block !== undefined) transactionCount += body.block.transactions.length;
      blocks.push({ entry, block: body.block });
    }
    taken += 1;
  }
  return taken === 0
    ? undefined
    : {
        entries: queue.slice(0, taken),
        orphans: [],
        blocks,
        finalize,
      };
}
