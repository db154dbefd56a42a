/**
 * `rpc_usage.latency_counts` counts the calls that took at most so long, each below the first bound that holds for it; one
 * more count is of those that took longer. Rows keep their counts by position: bounds may be added at the end alone.
 */
export const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000,
] as const;
