// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again until the answer is yes. @returns false when the signal fired first, or when the time is up: counted from the
 * call, or from `since`, which may move on
 */
export async function waitUntil(
  probe: () => Promise<boolean>,
  options: { timeoutMs: number; since?: () => number; intervalMs?: number; signal?: AbortSignal },
): Promise<boolean> {
  const startedAt = Date.now();
  const { since = () => startedAt } = options;
  while (!options.signal?.aborted) {
    if (await probe().catch(() => false)) return true;
    if (Date.now() >= since() + options.timeoutMs) return false;
    await delay(options.intervalMs ?? 30);
  }
  return false;
}
