import type { BlockHeader } from '@chainwatch/chain-core';
import type { FeedBatch, FollowState } from './feed.ts';
import { toEntry } from './plan-extension.ts';

/**
 * The batch that makes `header`, a canonical block of ours, and all below it final; undefined when they are final
 * already.
 */
export function planFinalization(state: FollowState, header: BlockHeader): FeedBatch | undefined {
  if (state.head === undefined || header.number > state.head.number) return undefined;
  if (state.finalized !== undefined && header.number <= state.finalized.number) return undefined;
  const seq = state.feedSeq + 1;
  return {
    entries: [toEntry('finalize', header, seq)],
    clearFrom: state.head.number + 1,
    clearTo: state.head.number,
    next: { ...state, feedSeq: seq, finalized: { number: header.number, hash: header.hash } },
  };
}
