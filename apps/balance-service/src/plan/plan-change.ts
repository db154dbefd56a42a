// SPDX-License-Identifier: Apache-2.0
import type { Anchor } from './read-anchors.ts';
import type { Reading } from '../read/target.ts';

/** A new anchor at least this often (blocks), so that what moved since then is found quickly. */
const ANCHOR_BLOCKS_MAX = 64;

/** What a reading changes. */
export interface Change {
  readonly reading: Reading;
  /** Where the current balance was read: the earlier block when nothing has moved since. */
  readonly block: { readonly number: number; readonly hash: string };
  /** The reading becomes the next one's anchor. */
  readonly isAnchor: boolean;
  /** What transfers and fees do not explain, base units; 0 needs no row. */
  readonly adjustmentRaw: bigint;
  readonly adjustedSince: number;
  /** Published as balance.changed. */
  readonly isNotified: boolean;
  /** Undefined: never published before. */
  readonly previousRaw: bigint | undefined;
  readonly changeCount: number;
}

/**
 * Compares a reading with what was known. `explainedRaw` is what transfers and fees moved since the anchor.
 * Undefined: the reading is older than what is known.
 */
export function planChange(
  reading: Reading,
  { last, notified }: Anchor,
  explainedRaw: bigint,
): Change | undefined {
  if (last !== undefined && last.block.number > reading.block.number) return undefined;
  const adjustmentRaw = last === undefined ? 0n : reading.amountRaw - last.amountRaw - explainedRaw;
  const isMoved = last === undefined || reading.amountRaw !== last.amountRaw || adjustmentRaw !== 0n;
  const isAnchor = isMoved || reading.block.number - last.block.number >= ANCHOR_BLOCKS_MAX;
  const isNotified =
    notified === undefined ? reading.amountRaw !== 0n : notified.amountRaw !== reading.amountRaw;
  return {
    reading,
    block: isAnchor ? reading.block : last.block,
    isAnchor,
    adjustmentRaw,
    adjustedSince: last?.block.number ?? reading.block.number,
    isNotified,
    previousRaw: notified?.amountRaw,
    changeCount: (notified?.changeCount ?? 0) + (isNotified ? 1 : 0),
  };
}
