export interface PollSituation {
  /** Expected time between blocks. */
  readonly blockTimeMs: number;
  /** Since the last new head. */
  readonly sinceHeadMs: number;
  /** The node pushes heads: polling is only the safety net. */
  readonly isPushed: boolean;
  /** Failures in a row. */
  readonly failures: number;
}

const MIN_MS = 50;
const MAX_MS = 30_000;
const FAILURE_MS = 100;
const FAILURE_MAX_MS = 5_000;

/**
 * Milliseconds to wait before the next poll. There is no poll while no block can be expected; polls are dense when
 * one is due, and ever slower, up to twice the block time, when none comes.
 */
export function pollDelay({ blockTimeMs, sinceHeadMs, isPushed, failures }: PollSituation): number {
  if (failures > 0)
    return Math.min(
      FAILURE_MS * 2 ** (failures - 1),
      FAILURE_MAX_MS,
      Math.max(2 * blockTimeMs, 10 * FAILURE_MS),
    );
  const slowestMs = clamp(2 * blockTimeMs, MIN_MS, MAX_MS);
  if (isPushed)
    return Math.max(slowestMs - sinceHeadMs, Math.min(slowestMs, Math.max(blockTimeMs, 10 * MIN_MS)));
  const dueMs = 0.9 * blockTimeMs - sinceHeadMs;
  if (dueMs > 0) return Math.max(dueMs, MIN_MS);
  const overdueMs = sinceHeadMs - blockTimeMs;
  return clamp(Math.max(blockTimeMs / 20, overdueMs / 4), MIN_MS, slowestMs);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
