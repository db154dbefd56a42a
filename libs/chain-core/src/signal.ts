// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets a loop sleep until it is notified, its abort signal ends or the time is up. Notifications that come while it works
 * end the next sleep at once, however many there were.
 */
export class Signal {
  #notified = new AbortController();

  notify = (): void => this.#notified.abort();

  async wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    // Not AbortSignal.any: on Node 20 a long-lived signal keeps a reference to each signal that was derived from it.
    signal?.addEventListener('abort', this.notify);
    await sleep(timeoutMs, undefined, { signal: this.#notified.signal }).catch(() => undefined);
    signal?.removeEventListener('abort', this.notify);
    if (this.#notified.signal.aborted) this.#notified = new AbortController();
  }
}
