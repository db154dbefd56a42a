// SPDX-License-Identifier: Apache-2.0
export interface Batcher<T> {
  /** Resolves when the batch that holds `item` has succeeded, rejects with that batch's error. */
  add(item: T): Promise<void>;
  /** Items waiting or under way. */
  readonly size: number;
  /** Resolves when nothing is left. */
  drain(): Promise<void>;
}

export interface BatcherOptions {
  /** Concurrent batches, default 1: one after the other. */
  readonly concurrency?: number;
}

/**
 * Collects items while earlier batches are written: a single item goes at once, many go together. Batches
 * begin in the order of the calls.
 */
export function createBatcher<T>(
  write: (items: readonly T[]) => Promise<void>,
  sizeMax: number,
  { concurrency = 1 }: BatcherOptions = {},
): Batcher<T> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let size = 0;
  let isGathering = false;
  const running = new Set<Promise<void>>();

  async function run(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    isGathering = false;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, sizeMax);
      waiting = waiting.slice(sizeMax);
      try {
        await write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      size -= batch.length;
    }
  }

  function start(): void {
    isGathering = true;
    const work = run().finally(() => {
      running.delete(work);
      // Items that came between the last look of the batch and its end.
      if (waiting.length > 0 && !isGathering) start();
    });
    running.add(work);
  }

  return {
    add(item) {
      size += 1;
      const done = new Promise<void>((resolve, reject) => waiting.push({ item, resolve, reject }));
      if (!isGathering && running.size < concurrency) start();
      return done;
    },
    get size() {
      return size;
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
