// SPDX-License-Identifier: Apache-2.0
import Tinypool from 'tinypool';
import { DerivationUnavailableError } from '@chainwatch/chain-core';
import type { DerivationAnswer, DerivationTask } from './derivation-task.ts';

export interface DerivationPoolOptions {
  /** The module of the threads: its default export answers a task. */
  readonly filename: string;
  /** Threads at most, default 2: one takes two seconds for a thousand taproot addresses. */
  readonly threads?: number;
  /** Most requests that wait or are worked on, default 256. */
  readonly jobsMax?: number;
  /** Addresses computed before another request gets its turn, default 250. */
  readonly sliceSize?: number;
  /** A slice that takes longer, its wait for a thread included, is given up, and a thread that hangs with it; default 20,000. */
  readonly sliceTimeoutMs?: number;
  /** A thread without work ends after that, default 60,000. */
  readonly idleMs?: number;
}

const CRASHES_MAX = 2;

/**
 * Derives in threads, started with the first request, or by `start` before it, and again when they die. Requests take turns slice by slice, so that one
 * index does not wait for a thousand others. A thread keeps the process alive only while it works.
 */
export class DerivationPool {
  readonly #options: Required<DerivationPoolOptions>;
  /** Why the threads of a pool failed. */
  readonly #failures = new WeakMap<Tinypool, unknown>();
  #pool: Tinypool;
  #jobs = 0;

  constructor(options: DerivationPoolOptions) {
    this.#options = {
      ...{ threads: 2, jobsMax: 256, sliceSize: 250, sliceTimeoutMs: 20_000, idleMs: 60_000 },
      ...options,
    };
    this.#pool = this.#open();
  }

  /** Starts a thread that stays, for a service that is about to be asked. Before the first request. */
  start(): void {
    const pool = this.#pool;
    this.#pool = this.#open(1);
    void pool.destroy();
  }

  /** @throws DerivationUnavailableError, or the reason of the signal */
  async derive(task: DerivationTask, signal?: AbortSignal): Promise<readonly string[]> {
    signal?.throwIfAborted();
    const { jobsMax, sliceSize } = this.#options;
    if (this.#jobs >= jobsMax)
      throw unavailable(`expected at most ${jobsMax} derivations at once, got one more`);
    this.#jobs += 1;
    try {
      const addresses: string[] = [];
      while (addresses.length < task.indexes.length) {
        const indexes = task.indexes.slice(addresses.length, addresses.length + sliceSize);
        const answer = await this.#answer({ ...task, indexes });
        signal?.throwIfAborted();
        if ('fault' in answer) throw new Error(answer.fault);
        addresses.push(...answer.addresses);
      }
      return addresses;
    } finally {
      this.#jobs -= 1;
    }
  }

  /** A slice whose thread dies is computed again; one that ends its thread twice is not tried a third time. */
  async #answer(task: DerivationTask): Promise<DerivationAnswer> {
    for (let crashes = 1; ; crashes += 1) {
      const pool = this.#pool;
      const { completed } = pool;
      const signal = AbortSignal.timeout(this.#options.sliceTimeoutMs);
      try {
        return (await pool.run(task, { signal })) as DerivationAnswer;
      } catch (cause) {
        // Threads that answered others have too much to do; those that answered nobody hang.
        if (signal.aborted && pool.completed === completed) this.#replace(pool);
        if (signal.aborted) throw unavailable('the threads that derive addresses took too long', cause);
        if (crashes === CRASHES_MAX)
          throw unavailable(
            'the thread that derives addresses died twice',
            this.#failures.get(pool) ?? cause,
          );
      }
    }
  }

  /** @param staying threads that start at once and do not end without work */
  #open(staying = 0): Tinypool {
    const { filename, threads, idleMs } = this.#options;
    const pool = new Tinypool({
      filename,
      minThreads: staying,
      maxThreads: threads,
      idleTimeout: idleMs,
      execArgv: [],
    });
    // A thread that did not start, or died between two slices: what waits for it would wait for ever.
    pool.on('error', (error: unknown) => {
      this.#failures.set(pool, error);
      this.#replace(pool);
    });
    return pool;
  }

  /** What runs or waits in the pool fails, and is computed again in the new one. */
  #replace(pool: Tinypool): void {
    if (pool !== this.#pool) return;
    // None that stays: one that cannot start would be started again and again.
    this.#pool = this.#open();
    void pool.destroy();
  }
}

function unavailable(message: string, cause?: unknown): DerivationUnavailableError {
  return new DerivationUnavailableError(message, {
    cause,
    publicMessage: 'Addresses cannot be derived at the moment.',
  });
}
