const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay of each attempt after the one before, in milliseconds (decisions.md §5): 12 attempts in about 76 hours. */
export const DEFAULT_RETRY_SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** No receiver makes us wait for longer: what it says is a stranger's, and may be no time at all. */
export const WAIT_MS_MAX = 24 * HOUR;

export interface RetryDelayOptions {
  readonly scheduleMs: readonly number[];
  /** Attempts made so far, at least 1. */
  readonly attemptCount: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Milliseconds until the next attempt; undefined when the schedule is used up. Jitter is ±20 %; a receiver's
 * `Retry-After` counts within [base, 2 × base].
 */
export function findRetryDelay({
  scheduleMs,
  attemptCount,
  retryAfterMs,
  random,
}: RetryDelayOptions): number | undefined {
  const base = scheduleMs[attemptCount];
  if (base === undefined) return undefined;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, base), 2 * base);
  return Math.round(base * (0.8 + 0.4 * random()));
}
