// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import { BranchMovedError } from './errors.ts';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState, NumberRange, ChainReset } from './feed.ts';
import type { FeedStore } from './feed-store.ts';

export type Advance =
  | { readonly type: 'none' }
  /** The first block of the chain's history is to be committed. */
  | { readonly type: 'start'; readonly number: number | undefined }
  | { readonly type: 'extend' }
  /** The headers of [from, to] are missing. */
  | { readonly type: 'fetch'; readonly from: number; readonly to: number }
  /** Directly above our head, on another branch. */
  | { readonly type: 'repair' }
  /** At or below our head: a node behind, or a fork. */
  | { readonly type: 'compare' };

/**
 * What a node's head means for us. `startBlock` counts only before the first block.
 * A pure decision: the follower does the reading.
 */
export function planAdvance(state: FollowState, head: BlockHeader, startBlock?: number): Advance {
  if (state.head === undefined)
    return state.startNumber === undefined
      ? planStart(head, startBlock)
      : planNewStart(head, state.startNumber);
  if (head.hash === state.head.hash) return { type: 'none' };
  // A parent is below its child. If the node says otherwise, its head is compared with our chain, and the
  // node asked again.
  if (head.number <= state.head.number) return { type: 'compare' };
  if (head.parentHash === state.head.hash) return { type: 'extend' };
  if (head.number === state.head.number + 1) return { type: 'repair' };
  return { type: 'fetch', from: state.head.number + 1, to: head.number };
}

/** Block 0 pays nobody, and not every node tells it whole. */
const FIRST_BLOCK = 1;

/** After a reset: when the node is below the block where the chain began, its chain is new, and all of it is read. */
function planNewStart(head: BlockHeader, startNumber: number): Advance {
  return {
    type: 'start',
    number: startNumber <= head.number ? startNumber : Math.min(FIRST_BLOCK, head.number),
  };
}

function planStart(head: BlockHeader, startBlock: number | undefined): Advance {
  if (startBlock === undefined || startBlock === head.number) return { type: 'start', number: undefined };
  if (startBlock > head.number) return { type: 'none' };
  return { type: 'start', number: startBlock };
}

/** The longest run of linked `heads` that extends `head`. */
export function pickLinked(head: BlockRef, heads: readonly BlockHeader[]): BlockHeader[] {
  const linked: BlockHeader[] = [];
  for (const header of heads) {
    const before = linked.at(-1) ?? head;
    if (header.parentHash !== before.hash || header.number <= before.number) break;
    linked.push(header);
  }
  return linked;
}

/**
 * Proves that `headers` ascend within [from, to] and each names the one before as its parent.
 * @throws BranchMovedError: pages of a list read from a node that reorganizes meanwhile do not fit together
 */
export function assertLinked(headers: readonly BlockHeader[], from: number, to: number): void {
  headers.forEach((header, position) => {
    if (header.number < from || header.number > to) {
      throw new BranchMovedError(`expected headers ${from} to ${to}, got ${header.number}`);
    }
    const before = headers[position - 1];
    if (before === undefined) return;
    if (header.number <= before.number || header.parentHash !== before.hash) {
      throw new BranchMovedError(
        `expected the parent of block ${header.number} to be ${before.hash}, got ${header.parentHash}`,
      );
    }
  });
}

/**
 * The batch that appends `headers` (not empty, linked, the first on our head) to the feed. Announced heights above
 * `clearTo` stay announced, by default none.
 */
export function planExtension(
  state: FollowState,
  {
    headers,
    status,
    clearTo,
  }: { readonly headers: readonly BlockHeader[]; readonly status: ChainStatus; readonly clearTo?: number },
): FeedBatch {
  const entries = headers.map((header, position) =>
    toEntry('block', { header, seq: state.feedSeq + 1 + position }),
  );
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

/**
 * The batch that makes `header`, a canonical block of ours, and all below it final; undefined when they are final
 * already.
 */
export function planFinalization(state: FollowState, header: BlockHeader): FeedBatch | undefined {
  if (state.head === undefined || header.number > state.head.number) return undefined;
  if (state.finalized !== undefined && header.number <= state.finalized.number) return undefined;
  const seq = state.feedSeq + 1;
  return {
    entries: [toEntry('finalize', { header, seq })],
    clearFrom: state.head.number + 1,
    clearTo: state.head.number,
    next: { ...state, feedSeq: seq, finalized: { number: header.number, hash: header.hash } },
  };
}

function toEntry(
  type: FeedEntry['type'],
  {
    header,
    seq,
    resumeSeq,
  }: { readonly header: BlockHeader; readonly seq: number; readonly resumeSeq?: number },
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
