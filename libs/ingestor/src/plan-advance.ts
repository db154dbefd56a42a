import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import type { FollowState } from './feed.ts';

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
