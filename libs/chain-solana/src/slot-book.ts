// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';

const SIZE = 8_192;

/** Slots of blocks by hash: nodes look up blocks by slot only, and every block names its parent's slot. */
export class SlotBook {
  readonly #slots = new Map<string, number>();

  note({ number, hash, parentHash, parentNumber }: BlockHeader): void {
    this.#set(hash, number);
    if (parentNumber !== undefined) this.#set(parentHash, parentNumber);
  }

  find(hash: string): number | undefined {
    return this.#slots.get(hash);
  }

  #set(hash: string, slot: number): void {
    this.#slots.delete(hash);
    this.#slots.set(hash, slot);
    if (this.#slots.size <= SIZE) return;
    const oldest = this.#slots.keys().next();
    if (oldest.done !== true) this.#slots.delete(oldest.value);
  }
}
