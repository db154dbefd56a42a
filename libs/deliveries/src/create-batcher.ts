export interface Batcher<T> {
  /** Resolves when the batch that holds `item` is through, rejects with that batch's error. */
  add(item: T): Promise<void>;
  /** Items waiting or under way. */
  readonly size: number;
  /** Resolves when nothing is left. */
  drain(): Promise<void>;
}

/**
 * Collects what comes while the batch before is written: one alone goes at once, a crowd goes together. Batches run one
 * after the other, in the order of the calls.
 */
export function createBatcher<T>(write: (items: readonly T[]) => Promise<void>, sizeMax: number): Batcher<T> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let size = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // What arrives in the same turn of the event loop belongs to one batch.
    await new Promise((resolve) => setImmediate(resolve));
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
    running = undefined;
  }

  return {
    add(item) {
      size += 1;
      const done = new Promise<void>((resolve, reject) => waiting.push({ item, resolve, reject }));
      running ??= run();
      return done;
    },
    get size() {
      return size;
    },
    async drain() {
      while (running !== undefined) await running;
    },
  };
}
