import { ChainClientError } from './errors.ts';

/**
 * Bounds the concurrent requests. Waiters are served in order, patient ones after the others; an aborted
 * waiter leaves the queue.
 */
export class RequestSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();
  readonly #patient = new Set<() => void>();

  constructor(count: number) {
    this.#free = Math.max(1, count);
  }

  /** True when a request would have to wait. */
  get isBusy(): boolean {
    return this.#free === 0;
  }

  async run<T>(signal: AbortSignal | undefined, task: () => Promise<T>, isPatient = false): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal, isPatient ? this.#patient : this.#waiting);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const queue = this.#waiting.size > 0 ? this.#waiting : this.#patient;
    const next = queue.values().next();
    if (next.done === true) {
      this.#free++;
      return;
    }
    queue.delete(next.value);
    next.value();
  }

  #wait(signal: AbortSignal | undefined, queue: Set<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortedError(signal));
      const onAbort = (): void => {
        queue.delete(start);
        reject(abortedError(signal));
      };
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.add(start);
    });
  }
}

function abortedError(signal: AbortSignal | undefined): ChainClientError {
  return new ChainClientError('aborted before it was sent', { cause: signal?.reason });
}
