// SPDX-License-Identifier: Apache-2.0
import type { Full, MemoryQuota } from './tenants.ts';

/** Memory held for a batch: its body, and the parts that its answer is assembled from. */
export class HeldParts {
  readonly #quota: MemoryQuota;
  #bytes = 0;
  #isOver = false;

  constructor(quota: MemoryQuota) {
    this.#quota = quota;
  }

  /** @returns who is full, if the part is not held */
  take(part: Buffer): Full | undefined {
    if (this.#isOver) return undefined;
    const full = this.#quota.take(part.length);
    if (full === undefined) this.#bytes += part.length;
    return full;
  }

  /** The answer has been assembled, or is no longer wanted. */
  release(): void {
    this.#quota.release(this.#bytes);
    this.#bytes = 0;
    this.#isOver = true;
  }
}
