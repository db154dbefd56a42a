// SPDX-License-Identifier: Apache-2.0
import type { Segment } from './segment.ts';

/** How far the analysis of a chain is: the row of analyzer_states, written only by the owner of the chain. */
export interface ChainCursor {
  /** Last feed entry done. */
  readonly seq: number;
  readonly number?: number;
  readonly hash?: string;
  /** Blocks up to here are final. */
  readonly confirmedNumber?: number;
  /** While `seq` is below, the chain recovers from a reorg below finality and its events are held. */
  readonly holdUntilSeq?: number;
}

export type AnalyzerStatus = 'following' | 'catching_up' | 'stalled' | 'recovering';

export function isHolding(cursor: ChainCursor): boolean {
  return cursor.holdUntilSeq !== undefined && cursor.seq < cursor.holdUntilSeq;
}

export function statusOf({
  cursor,
  isFarBehind,
}: {
  readonly cursor: ChainCursor;
  /** More than a few entries, and more than some seconds of them, are after the cursor. */
  readonly isFarBehind: boolean;
}): AnalyzerStatus {
  if (isHolding(cursor)) return 'recovering';
  return isFarBehind ? 'catching_up' : 'following';
}

/**
 * The cursor after the segment. `ancestorNumber`: the block that its orphans stand on; when there is none no block
 * is left, and the next block is a first one, whatever its parent.
 */
export function nextCursor(cursor: ChainCursor, segment: Segment, ancestorNumber?: number): ChainCursor {
  const lastSeq = segment.entries.at(-1)?.seq ?? cursor.seq;
  const lastOrphan = segment.orphans.at(-1);
  if (lastOrphan !== undefined) {
    const resumeSeqs = [cursor.holdUntilSeq, ...segment.orphans.map((orphan) => orphan.resumeSeq)].filter(
      (seq) => seq !== undefined,
    );
    const holding = resumeSeqs.length === 0 ? {} : { holdUntilSeq: Math.max(...resumeSeqs) };
    if (ancestorNumber === undefined) return { seq: lastSeq, ...holding };
    return {
      seq: lastSeq,
      number: ancestorNumber,
      hash: lastOrphan.parentHash,
      ...(cursor.confirmedNumber === undefined
        ? {}
        : { confirmedNumber: Math.min(cursor.confirmedNumber, ancestorNumber) }),
      ...holding,
    };
  }
  const tip = segment.blocks.at(-1)?.entry;
  const confirmedNumber = Math.max(cursor.confirmedNumber ?? -1, segment.finalize?.number ?? -1);
  return {
    ...cursor,
    seq: lastSeq,
    ...(tip === undefined ? {} : { number: tip.number, hash: tip.hash }),
    ...(confirmedNumber < 0 ? {} : { confirmedNumber }),
  };
}
