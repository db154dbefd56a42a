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
    // Not AbortSignal.any: a signal that lives long remembers each that was made of it, as long as Node 20 runs.
    signal?.addEventListener('abort', this.notify);
    await sleep(timeoutMs, undefined, { signal: this.#notified.signal }).catch(() => undefined);
    signal?.removeEventListener('abort', this.notify);
    if (this.#notified.signal.aborted) this.#notified = new AbortController();
  }
}
