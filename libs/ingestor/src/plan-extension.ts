import type { BlockHeader } from '@chainwatch/chain-core';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState } from './feed.ts';

/**
 * The batch that appends `headers` (not empty, linked, the first on our head) to the feed. Announced heights above
 * `clearTo` stay announced, by default none.
 */
export function planExtension(state: FollowState, headers: readonly BlockHeader[], status: ChainStatus, clearTo?: number): FeedBatch {
  const entries = headers.map((header, position) => toEntry('block', header, state.feedSeq + 1 + position));
  const last = headers.at(-1)!;
  const first = headers[0]!;
  return {
    entries,
    status,
    clearFrom: (state.head?.number ?? first.number - 1) + 1,
    clearTo,
    next: {
      ...state,
      feedSeq: state.feedSeq + entries.length,
      head: { number: last.number, hash: last.hash },
      startNumber: state.startNumber ?? first.number,
    },
  };
}

export function toEntry(type: FeedEntry['type'], header: BlockHeader, seq: number, resumeSeq?: number): FeedEntry {
  const { number, hash, parentHash, timestamp } = header;
  return { seq, type, number, hash, parentHash, timestamp, ...(resumeSeq === undefined ? {} : { resumeSeq }) };
}
