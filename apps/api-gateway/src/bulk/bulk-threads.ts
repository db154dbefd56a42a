// SPDX-License-Identifier: Apache-2.0
import Tinypool from 'tinypool';
import { FairQueue } from '@chainwatch/chain-core';
import { ProblemError, serviceUnavailable } from '@chainwatch/common/problem';
import type { Author } from '../management/record-change.ts';
import type { Announced, BulkAnswer, BulkSettings, BulkTask } from './bulk-task.ts';

/** A large body, and who sent it. */
export interface BulkCall {
  readonly bytes: Uint8Array;
  readonly author: Author;
  readonly signal: AbortSignal;
  /** Called for each transaction that was committed, at the end of the import. */
  readonly onChanged: (first: Announced) => void;
}

/** Each has a connection of its own. A workspace has two at most, so that one is free for another. */
const THREADS = 3;
/** A body of 8 MiB is well within it. */
const HEAP_MEGABYTES = 512;
const IDLE_MS = 60_000;

/**
 * The threads that carry bulk calls out, with connections of their own: ten thousand addresses take a second of a core,
 * for which other requests must not wait. Workspaces take turns.
 */
export class BulkThreads {
  readonly #settings: BulkSettings;
  readonly #queue = new FairQueue({ atOnce: THREADS, leavesRoom: true });
  #pool: Tinypool;

  constructor(settings: BulkSettings) {
    this.#settings = settings;
    this.#pool = this.#open();
  }

  /** The answer as JSON. A caller that aborts ends its thread: whole chunks stay. @throws ProblemError */
  importAddresses({ bytes, author, signal, onChanged }: BulkCall): Promise<Buffer> {
    return this.#queue.run({ owner: author.principal.workspaceId, signal }, async () => {
      const { changed, ...answer } = await this.#run({ bytes, author }, signal);
      for (const first of changed) onChanged(first);
      switch (answer.type) {
        case 'json':
          return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength);
        case 'problem':
          throw new ProblemError(answer.code, answer);
        case 'error':
          throw answer.error;
      }
    });
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
  }

  async #run(task: BulkTask, signal: AbortSignal): Promise<BulkAnswer> {
    try {
      return (await this.#pool.run(task, { signal })) as BulkAnswer;
    } catch (cause) {
      signal.throwIfAborted();
      throw serviceUnavailable('The import ended midway: send it again.', { retryAfterSeconds: 1, cause });
    }
  }

  #open(): Tinypool {
    const file = import.meta.url.endsWith('.ts') ? './source.worker.mjs' : './bulk.worker.mjs';
    const pool = new Tinypool({
      filename: new URL(file, import.meta.url).href,
      workerData: this.#settings,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      // A thread that blocks between two tasks would not see that its connection was closed.
      useAtomics: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
      execArgv: [],
    });
    // A thread that did not start: what waits for it would wait for ever.
    pool.on('error', () => {
      if (pool !== this.#pool) return;
      this.#pool = this.#open();
      void pool.destroy();
    });
    return pool;
  }
}
