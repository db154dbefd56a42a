import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is yes. @returns false when the time is up or the signal fired first */
export async function waitUntil(
  probe: () => Promise<boolean>,
  options: { timeoutMs: number; intervalMs?: number; signal?: AbortSignal },
): Promise<boolean> {
  const deadline = Date.now() + options.timeoutMs;
  while (!options.signal?.aborted) {
    if (await probe().catch(() => false)) return true;
    if (Date.now() >= deadline) return false;
    await delay(options.intervalMs ?? 30);
  }
  return false;
}
