import { ChainClientError, ChainError } from './errors.ts';

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

export interface Deadline {
  /** Names the work in messages. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `task` under a time-out and the caller's signal.
 * @throws ChainClientError, which also wraps whatever the transport throws
 */
export async function withDeadline<T>(
  deadline: Deadline,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { what, timeoutMs, signal } = deadline;
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await task(controller.signal);
  } catch (error) {
    if (error instanceof ChainError) throw error;
    throw toClientError(what, controller.signal.aborted ? controller.signal.reason : error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function toClientError(what: string, cause: unknown): ChainClientError {
  return new ChainClientError(`${what}: ${describe(cause)}`, {
    cause,
    publicMessage: 'the node did not answer',
  });
}

/** Connection failures of several addresses come as an aggregate without a message of its own. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(describe).join(', ');
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return `${cause.message}${code}`;
}
