import type { Worker } from 'node:worker_threads';
import { DerivationUnavailableError } from '@chainwatch/chain-core';
import type { DerivationAnswer, DerivationTask } from './derivation-task.ts';

export interface DerivationPoolOptions {
  readonly startWorker: () => Worker;
  /** Most requests that wait or are worked on, default 256. */
  readonly jobsMax?: number;
  /** Addresses computed before another request gets its turn, default 250. */
  readonly sliceSize?: number;
  /** A thread that takes longer for a slice counts as hung, default 20,000. */
  readonly sliceTimeoutMs?: number;
  /** A thread without work ends after that, default 60,000. */
  readonly idleMs?: number;
}

interface Job {
  readonly task: DerivationTask;
  readonly addresses: string[];
  readonly resolve: (addresses: readonly string[]) => void;
  readonly reject: (reason: unknown) => void;
  isSettled: boolean;
  crashes: number;
}

const CRASHES_MAX = 2;

/**
 * Derives in one thread, started with the first request and again when it dies. Requests take turns slice by slice, so
 * that one index does not wait for a thousand others. The thread keeps the process alive only while it works.
 */
export class DerivationPool {
  readonly #options: Required<DerivationPoolOptions>;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DerivationPoolOptions) {
    this.#options = { jobsMax: 256, sliceSize: 250, sliceTimeoutMs: 20_000, idleMs: 60_000, ...options };
  }

  /** @throws DerivationUnavailableError, or the reason of the signal */
  derive(task: DerivationTask, signal?: AbortSignal): Promise<readonly string[]> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const jobs = this.#waiting.length + (this.#running === undefined ? 0 : 1);
    if (jobs >= this.#options.jobsMax)
      return Promise.reject(
        unavailable(`expected at most ${this.#options.jobsMax} derivations at once, got one more`),
      );
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        job.isSettled = true;
        signal?.removeEventListener('abort', abort);
      };
      const job: Job = {
        task,
        addresses: [],
        isSettled: false,
        crashes: 0,
        resolve: (addresses) => (settle(), resolve(addresses)),
        reject: (reason) => (settle(), reject(reason)),
      };
      const abort = (): void => job.reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      this.#waiting.push(job);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== undefined) return;
    let job = this.#waiting.shift();
    while (job?.isSettled === true) job = this.#waiting.shift();
    if (job === undefined) return this.#rest();
    try {
      this.#send(job, (this.#worker ??= this.#start()));
    } catch (cause) {
      // No thread could be started, so the requests fail instead of waiting forever.
      job.reject(unavailable('the thread that derives addresses did not start', cause));
      this.#next();
    }
  }

  #send(job: Job, worker: Worker): void {
    const done = job.addresses.length;
    worker.postMessage({
      ...job.task,
      indexes: job.task.indexes.slice(done, done + this.#options.sliceSize),
    } satisfies DerivationTask);
    this.#running = job;
    worker.ref();
    this.#setTimer(this.#options.sliceTimeoutMs, worker);
  }

  #start(): Worker {
    const worker = this.#options.startWorker();
    let cause: unknown;
    worker.on('message', (answer: DerivationAnswer) => this.#take(answer));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', (code) => {
      if (worker === this.#worker)
        this.#restart(cause ?? new Error(`expected the thread to stay, got its exit with code ${code}`));
    });
    return worker;
  }

  #take(answer: DerivationAnswer): void {
    const job = this.#running;
    this.#running = undefined;
    if (job !== undefined && !job.isSettled) this.#advance(job, answer);
    this.#next();
  }

  #advance(job: Job, answer: DerivationAnswer): void {
    if ('fault' in answer) return job.reject(new Error(answer.fault));
    job.addresses.push(...answer.addresses);
    if (job.addresses.length >= job.task.indexes.length) job.resolve(job.addresses);
    else this.#waiting.push(job);
  }

  /** The slice under way is computed again; a request that ends the thread twice is not tried a third time. */
  #restart(cause: unknown): void {
    const job = this.#running;
    this.#worker = undefined;
    this.#running = undefined;
    if (job !== undefined && !job.isSettled) {
      job.crashes += 1;
      if (job.crashes < CRASHES_MAX) this.#waiting.unshift(job);
      else job.reject(unavailable('the thread that derives addresses died twice', cause));
    }
    this.#next();
  }

  #rest(): void {
    if (this.#worker === undefined) return clearTimeout(this.#timer);
    this.#worker.unref();
    this.#setTimer(this.#options.idleMs, this.#worker);
  }

  #setTimer(delayMs: number, worker: Worker): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // An idle thread is forgotten at once, so that the next request is not given to it while it ends.
      if (this.#running === undefined) this.#worker = undefined;
      void worker.terminate();
    }, delayMs);
    this.#timer.unref();
  }
}

function unavailable(message: string, cause?: unknown): DerivationUnavailableError {
  return new DerivationUnavailableError(message, {
    cause,
    publicMessage: 'Addresses cannot be derived at the moment.',
  });
}
