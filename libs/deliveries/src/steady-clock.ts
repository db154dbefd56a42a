// SPDX-License-Identifier: Apache-2.0
/** Milliseconds of a clock that never goes back: when the given one is set back, it goes on from where it was. */
export function createSteadyClock(now: () => number): () => number {
  let [lastMs, readAtMs] = [now(), performance.now()];
  return () => {
    const atMs = performance.now();
    lastMs = Math.max(now(), lastMs + atMs - readAtMs);
    readAtMs = atMs;
    return lastMs;
  };
}
