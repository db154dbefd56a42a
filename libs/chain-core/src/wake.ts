import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets a loop sleep until somebody has news for it, its signal ends or the time is up. News that come while it works count
 * for the next sleep, as often as they come.
 */
export class Wake {
  #news = new AbortController();

  notify = (): void => this.#news.abort();

  async wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    // Not AbortSignal.any: a signal that lives long remembers each that was made of it, as long as Node 20 runs.
    signal?.addEventListener('abort', this.notify);
    await sleep(timeoutMs, undefined, { signal: this.#news.signal }).catch(() => undefined);
    signal?.removeEventListener('abort', this.notify);
    if (this.#news.signal.aborted) this.#news = new AbortController();
  }
}
