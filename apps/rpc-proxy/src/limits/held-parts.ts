import type { Full, MemoryQuota } from './memory-quota.ts';

/** What is held of an answer that is put together of parts, until it is. */
export class HeldParts {
  readonly #quota: MemoryQuota;
  #bytes = 0;
  #isOver = false;

  constructor(quota: MemoryQuota) {
    this.#quota = quota;
  }

  /** @returns who is full: the part is not held */
  take(part: Buffer): Full | undefined {
    if (this.#isOver) return undefined;
    const full = this.#quota.take(part.length);
    if (full === undefined) this.#bytes += part.length;
    return full;
  }

  /** The answer is put together, or not wanted any more. */
  release(): void {
    this.#quota.release(this.#bytes);
    this.#bytes = 0;
    this.#isOver = true;
  }
}
