// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';

const SIZE = 1_024;

/** The newest canonical hashes by height, so that heads seen before need no query. */
export class RecentBlocks {
  readonly #hashes = new Map<number, string>();

  add(blocks: readonly BlockRef[]): void {
    for (const { number, hash } of blocks) this.#hashes.set(number, hash);
    for (const number of this.#hashes.keys()) {
      if (this.#hashes.size <= SIZE) return;
      this.#hashes.delete(number);
    }
  }

  /** Forgets everything above the height. */
  dropAbove(number: number): void {
    for (const known of this.#hashes.keys()) if (known > number) this.#hashes.delete(known);
  }

  find(number: number): string | undefined {
    return this.#hashes.get(number);
  }
}
