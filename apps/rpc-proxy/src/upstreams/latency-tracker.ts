// SPDX-License-Identifier: Apache-2.0
const LATENCY_SAMPLES_MIN = 20;
const METHODS_MAX = 256;
/** The hedge delay before a node's latency is known, and its bounds. */
const HEDGE_MS_DEFAULT = 200;
const HEDGE_MS_MIN = 20;
const HEDGE_MS_MAX = 5_000;

interface Quantile {
  value: number;
  count: number;
}

/**
 * The 95th percentile of a node's latencies by method, estimated in constant space. Each sample moves the estimate up
 * by 19 parts if it is above, and down by one part if it is below, so the estimate settles where one sample in twenty
 * is above.
 */
export class LatencyTracker {
  readonly #byMethod = new Map<string, Quantile>();

  record(method: string, ms: number): void {
    let entry = this.#byMethod.get(method);
    if (entry === undefined) {
      if (this.#byMethod.size >= METHODS_MAX) return;
      entry = { value: ms, count: 0 };
      this.#byMethod.set(method, entry);
    }
    entry.count += 1;
    const step = Math.max(entry.value, 1) * 0.02;
    entry.value += ms > entry.value ? step * 0.95 : -step * 0.05;
  }

  /** After how long a second node is worth asking. */
  hedgeDelayMs(method: string): number {
    const entry = this.#byMethod.get(method);
    if (entry === undefined || entry.count < LATENCY_SAMPLES_MIN) return HEDGE_MS_DEFAULT;
    return Math.min(HEDGE_MS_MAX, Math.max(HEDGE_MS_MIN, entry.value * 1.5));
  }
}
