// SPDX-License-Identifier: Apache-2.0
export interface PollSituation {
  /** Time between blocks, as measured. */
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
/** Shortest time between polls that are only the safety net. */
const PUSHED_MIN_MS = 500;
const LATE_MS = 100;
const FAILURE_MS = 100;
const FAILURE_MAX_MS = 5_000;

/**
 * Milliseconds to wait before the next poll. There is no poll while no block can be expected; polls are dense when
 * one is due, and ever slower when none comes. Without a push a head is noticed within a block time and
 * 100 ms, whatever the chain did before.
 */
export function pollDelay({ blockTimeMs, sinceHeadMs, isPushed, failures }: PollSituation): number {
  if (failures > 0)
    return Math.min(
      FAILURE_MS * 2 ** (failures - 1),
      FAILURE_MAX_MS,
      Math.max(2 * blockTimeMs, 10 * FAILURE_MS),
    );
  if (isPushed) {
    const slowestMs = clamp(2 * blockTimeMs, PUSHED_MIN_MS, MAX_MS);
    return Math.max(slowestMs - sinceHeadMs, Math.min(slowestMs, Math.max(blockTimeMs, PUSHED_MIN_MS)));
  }
  const dueMs = 0.9 * blockTimeMs - sinceHeadMs;
  if (dueMs > 0) return Math.max(dueMs, MIN_MS);
  const overdueMs = sinceHeadMs - blockTimeMs;
  return clamp(Math.max(blockTimeMs / 20, overdueMs / 4), MIN_MS, Math.min(blockTimeMs + LATE_MS, MAX_MS));
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
