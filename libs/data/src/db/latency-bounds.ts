// SPDX-License-Identifier: Apache-2.0
/**
 * `latency_counts` of `rpc_usage` and `channel_activity` have one count per bound: what took at most that long and longer than
 * the bound before. A last count is for what was slower. Rows keep counts by position, so bounds may only be appended.
 */
export const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000,
] as const;

/** Place of the count for what took so long. */
export function latencyBucketOf(ms: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return found === -1 ? LATENCY_BOUNDS_MS.length : found;
}
