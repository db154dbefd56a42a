// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';

/** One step of the ordered log that the analyzer follows; `seq` grows by one per chain and never repeats. */
export interface FeedEntry extends BlockHeader {
  readonly seq: number;
  readonly type: 'block' | 'reorg' | 'finalize';
  /** On the reorg entries of a repair below finality: the last entry of that repair. */
  readonly resumeSeq?: number;
  /** W3C trace context of the block's span. */
  readonly traceparent?: string;
}

/** What happens to the chain, shown in ingestor_states.status and /readyz. */
export type ChainStatus = 'starting' | 'catching_up' | 'following' | 'stalled' | 'recovering';

/** Where the ingestor stands; the row of ingestor_states. */
export interface FollowState {
  readonly feedSeq: number;
  readonly head?: BlockRef;
  readonly finalized?: BlockRef;
  /**
   * The first block followed: nothing below it is known. Without a head the chain was reset, and begins there
   * again.
   */
  readonly startNumber?: number;
}

/** The operator asks for blocks from `fromBlock` on (default: all) to be undone. */
export interface ChainReset {
  readonly id: string;
  readonly fromBlock?: number;
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** One atomic step: entries, block rows and the state after it, committed together or not at all. */
export interface FeedBatch {
  /** Consecutive, from the stored feed_seq + 1 on. */
  readonly entries: readonly FeedEntry[];
  readonly next: FollowState;
  /** Absent: stays as it is. */
  readonly status?: ChainStatus;
  /**
   * This batch settles the rows without a hash in [clearFrom, clearTo]: they are filled, skipped slots, or heights
   * that the chain no longer has. Without clearTo: all from clearFrom on.
   */
  readonly clearFrom: number;
  readonly clearTo?: number;
  /** Numbers that the chain skipped for good, as the links between its blocks prove: ranges, bounds included. */
  readonly skipped?: readonly NumberRange[];
}
