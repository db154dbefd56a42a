// SPDX-License-Identifier: Apache-2.0
/** A transaction that names an account. */
export interface SignatureEntry {
  readonly slot: number;
  readonly signature: string;
}

/** Every transaction in slots [fromSlot, toSlot] that names an account, ascending. */
export interface SignatureList {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly entries: readonly SignatureEntry[];
}

const LISTS_MAX = 64;

/** Nodes list signatures from the newest on: what was listed on the way to old slots is kept for the next question. */
export class SignatureBook {
  readonly #lists = new Map<string, SignatureList>();

  find(account: string, fromSlot: number): SignatureList | undefined {
    const list = this.#lists.get(account);
    return list !== undefined && list.fromSlot <= fromSlot && list.toSlot >= fromSlot ? list : undefined;
  }

  add(account: string, list: SignatureList): void {
    this.#lists.delete(account);
    this.#lists.set(account, list);
    if (this.#lists.size <= LISTS_MAX) return;
    const oldest = this.#lists.keys().next();
    if (oldest.done !== true) this.#lists.delete(oldest.value);
  }
}
