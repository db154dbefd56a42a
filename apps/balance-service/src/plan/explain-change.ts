// SPDX-License-Identifier: Apache-2.0
import type { ChangeReason } from '@chainwatch/events';
import type { Change } from './plan-change.ts';
import type { Anchor } from './read-anchors.ts';
import { addSums, subtractSums, totalOf, type Sums } from './sums.ts';

/** A part of a balance's change. */
export interface ReasonedChange {
  readonly reason: ChangeReason;
  /** Base units, signed, never 0. */
  readonly amountRaw: bigint;
}

/** What a reading changes, and why. */
export interface ExplainedChange extends Change {
  /** What moved the balance since its first reading. */
  readonly sums: Sums;
  /** The same up to what was told last, and that block; this change included where it is told. */
  readonly toldSums: Sums;
  readonly toldBlock: number;
  /** Why it is another balance than the one that was told. Adds up to the difference where one was told. */
  readonly reasons: readonly ReasonedChange[];
  /** The block after which an adjustment among them happened. */
  readonly since: number;
}

/**
 * Explains a change. What was told is subtracted from what is true now, reason by reason, so what a reorg undid is taken
 * back under the reason that it was told with. What nothing explains is an adjustment.
 */
export function explainChange(change: Change, { last, notified }: Anchor, explained: Sums): ExplainedChange {
  const { reading, adjustmentRaw, adjustedSince, isNotified } = change;
  const before = last?.sums ?? {};
  const sums = addSums(before, addSums(explained, { adjustment: adjustmentRaw }));
  // The release before counted nothing: everything up to its last reading was told.
  const isCounted = last === undefined || last.sums !== undefined;
  const told = (isCounted ? notified?.sums : undefined) ?? before;
  const moved = subtractSums(sums, told);
  const rest = notified === undefined ? 0n : reading.amountRaw - notified.amountRaw - totalOf(moved);
  const toldBlock = notified?.block ?? adjustedSince;
  return {
    ...change,
    sums,
    toldSums: isNotified || notified === undefined ? sums : told,
    toldBlock: isNotified || notified === undefined ? reading.block.number : toldBlock,
    reasons: Object.entries(addSums(moved, { adjustment: rest })).map(([reason, amountRaw]) => ({
      reason: reason as ChangeReason,
      amountRaw,
    })),
    since: Math.min(adjustedSince, toldBlock),
  };
}
