// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import type { ChainStatus, FeedBatch, FollowState } from './feed.ts';
import { planExtension, toEntry } from './plan-advance.ts';

export interface Repair {
  /** The last block that both branches share; absent when all we ever stored is on the dead branch. */
  readonly ancestor: BlockRef | undefined;
  /** Our canonical blocks above the ancestor, ascending. */
  readonly orphans: readonly BlockHeader[];
  /** The new branch above the ancestor, ascending, not empty. */
  readonly branch: readonly BlockHeader[];
}

export interface RepairPlan {
  /** To be committed in order; the first undoes every orphan and holds at least one block of the new branch. */
  readonly batches: readonly FeedBatch[];
  /** A block that was told to be final is among the orphans. */
  readonly isFinalityViolated: boolean;
}

interface RepairOptions {
  /** Bounds the blocks of one transaction. */
  readonly blocksMax: number;
  /** The chain's status in an ordinary repair. */
  readonly status: ChainStatus;
}

/** Undo newest first, then the new branch ascending. */
export function planRepair(
  state: FollowState,
  repair: Repair,
  { blocksMax, ...options }: RepairOptions,
): RepairPlan {
  const { ancestor, orphans, branch } = repair;
  const isFinalityViolated =
    state.finalized !== undefined && (ancestor === undefined || ancestor.number < state.finalized.number);
  const resumeSeq = isFinalityViolated ? state.feedSeq + orphans.length + branch.length : undefined;
  const undo = orphans
    .toReversed()
    .map((orphan, position) =>
      toEntry('reorg', { header: orphan, seq: state.feedSeq + 1 + position, resumeSeq }),
    );
  const status = isFinalityViolated ? 'recovering' : options.status;

  const undone = rewind(state, repair, isFinalityViolated);
  const first = planExtension(undone, { headers: branch.slice(0, blocksMax), status });
  const batches: FeedBatch[] = [{ ...first, entries: [...undo, ...first.entries] }];
  for (let from = blocksMax; from < branch.length; from += blocksMax) {
    batches.push(
      planExtension(batches.at(-1)!.next, { headers: branch.slice(from, from + blocksMax), status }),
    );
  }
  return { batches, isFinalityViolated };
}

function rewind(
  state: FollowState,
  { ancestor, orphans, branch }: Repair,
  isFinalityViolated: boolean,
): FollowState {
  const startNumber = state.startNumber ?? branch[0]!.number;
  return {
    feedSeq: state.feedSeq + orphans.length,
    head: ancestor,
    finalized: isFinalityViolated ? ancestor : state.finalized,
    startNumber: ancestor === undefined ? Math.min(startNumber, branch[0]!.number) : startNumber,
  };
}
