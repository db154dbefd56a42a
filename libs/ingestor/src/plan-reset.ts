// SPDX-License-Identifier: Apache-2.0
import type { ChainReset, FeedBatch, FollowState } from './feed.ts';
import type { FeedStore } from './feed-store.ts';
import { toEntry } from './plan-advance.ts';

interface ResetStep {
  readonly store: Pick<FeedStore, 'readCanonical' | 'findCanonicalAtOrBelow'>;
  readonly reset: ChainReset;
  /** The last feed entry of the reset. */
  readonly resumeSeq: number;
  /** Heights of one batch. */
  readonly size: number;
}

/**
 * The batch that undoes the newest blocks of a reset, newest first; undefined when nothing is left to undo. Any
 * owner can continue from the state that a batch leaves.
 */
export async function planReset(
  { feedSeq, head, finalized, ...state }: FollowState,
  { store, reset: { fromBlock = 0 }, resumeSeq, size }: ResetStep,
): Promise<FeedBatch | undefined> {
  if (head === undefined || head.number < fromBlock) return undefined;
  const orphans = await store.readCanonical(Math.max(fromBlock, head.number - size + 1), head.number);
  const below = await store.findCanonicalAtOrBelow(orphans[0]!.number - 1);
  const ancestor = below === undefined ? undefined : { number: below.number, hash: below.hash };
  const isFinal = ancestor !== undefined && finalized !== undefined && finalized.number <= ancestor.number;
  const left = isFinal ? finalized : finalized && ancestor;
  return {
    entries: orphans
      .toReversed()
      .map((orphan, position) =>
        toEntry('reorg', { header: orphan, seq: feedSeq + 1 + position, resumeSeq }),
      ),
    status: 'recovering',
    clearFrom: (ancestor?.number ?? -1) + 1,
    next: {
      ...state,
      feedSeq: feedSeq + orphans.length,
      head: ancestor,
      finalized: left,
    },
  };
}
