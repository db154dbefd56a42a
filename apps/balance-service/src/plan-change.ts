import type { Anchor } from './read-anchors.ts';
import type { Reading } from './target.ts';

/** What a reading changes. */
export interface Change {
  readonly reading: Reading;
  /** Where the balance that stands now was read: the earlier block when nothing moved since. */
  readonly block: { readonly number: number; readonly hash: string };
  /** The reading becomes the next one's anchor. */
  readonly isAnchor: boolean;
  /** What transfers and fees do not explain, base units; 0 needs no row. */
  readonly adjustmentRaw: bigint;
  readonly adjustedSince: number;
  /** Told as balance.changed. */
  readonly isTold: boolean;
  /** Undefined: never told before. */
  readonly previousRaw: bigint | undefined;
  readonly changeCount: number;
}

/** Compares a reading with what was known. Undefined: the reading is older than what is known. */
export function planChange(reading: Reading, anchor: Anchor): Change | undefined {
  const { last, explainedRaw, told } = anchor;
  if (last !== undefined && last.blockNumber > reading.block.number) return undefined;
  const adjustmentRaw = last === undefined ? 0n : reading.amountRaw - last.amountRaw - explainedRaw;
  const isAnchor = last === undefined || reading.amountRaw !== last.amountRaw || adjustmentRaw !== 0n;
  const isTold = told === undefined ? reading.amountRaw !== 0n : told.amountRaw !== reading.amountRaw;
  return {
    reading,
    block: isAnchor ? reading.block : { number: last.blockNumber, hash: last.blockHash },
    isAnchor,
    adjustmentRaw,
    adjustedSince: last?.blockNumber ?? reading.block.number,
    isTold,
    previousRaw: told?.amountRaw,
    changeCount: (told?.changeCount ?? 0) + (isTold ? 1 : 0),
  };
}
