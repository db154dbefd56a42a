/**
 * `rpc_usage.latency_counts` has one count per bound: calls that took at most that long and longer than the bound before. A
 * last count is for slower calls. Rows keep counts by position, so bounds may only be appended.
 */
export const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000,
] as const;
