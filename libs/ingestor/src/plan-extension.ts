import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState, NumberRange } from './feed.ts';

/**
 * The batch that appends `headers` (not empty, linked, the first on our head) to the feed. Announced heights above
 * `clearTo` stay announced, by default none.
 */
export function planExtension(
  state: FollowState,
  headers: readonly BlockHeader[],
  status: ChainStatus,
  clearTo?: number,
): FeedBatch {
  const entries = headers.map((header, position) => toEntry('block', header, state.feedSeq + 1 + position));
  const last = headers.at(-1)!;
  const first = headers[0]!;
  const skipped = listSkipped(state.head, headers);
  return {
    entries,
    status,
    // Without a head the branch may begin above our first number: numbers announced in between are cleared,
    // too.
    clearFrom:
      state.head === undefined
        ? Math.min(state.startNumber ?? first.number, first.number)
        : state.head.number + 1,
    clearTo,
    ...(skipped.length === 0 ? {} : { skipped }),
    next: {
      ...state,
      feedSeq: state.feedSeq + entries.length,
      head: { number: last.number, hash: last.hash },
      startNumber:
        state.head === undefined
          ? Math.min(state.startNumber ?? first.number, first.number)
          : state.startNumber,
    },
  };
}

/**
 * Of a longer run (a chain stood still, then jumped) only this many numbers are recorded: the links prove the rest.
 */
const SKIPPED_MAX = 10_000;

/** The gaps between linked blocks whose numbers are not consecutive. */
function listSkipped(head: BlockRef | undefined, headers: readonly BlockHeader[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  let before = head?.number;
  for (const { number } of headers) {
    if (before !== undefined && number > before + 1)
      ranges.push({ from: before + 1, to: Math.min(number - 1, before + SKIPPED_MAX) });
    before = number;
  }
  return ranges;
}

export function toEntry(
  type: FeedEntry['type'],
  header: BlockHeader,
  seq: number,
  resumeSeq?: number,
): FeedEntry {
  const { number, hash, parentHash, timestamp } = header;
  return {
    seq,
    type,
    number,
    hash,
    parentHash,
    timestamp,
    resumeSeq,
  };
}
