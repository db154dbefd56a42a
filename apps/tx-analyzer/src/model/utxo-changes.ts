// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Outpoint } from '@chainwatch/chain-core';
import { outpointKey } from './coin.ts';
import type { AddressedOutput, KnownCoin } from './coin.ts';

/** The transaction that spends a coin, and its block. */
export interface Spend {
  /** Hash of the transaction. */
  readonly by: string;
  /** Absent in the mempool. */
  readonly block?: BlockRef;
}

export interface CreatedCoin extends AddressedOutput {
  readonly isCoinbase: boolean;
  /** Absent in the mempool. */
  readonly block?: BlockRef;
  /** Set when the coin is spent later in the same step. */
  readonly spend?: Spend;
}

export interface SpentCoin extends Outpoint {
  readonly spend: Spend;
}

/** Changes to the coins of watched addresses during a step, each coin once. */
export class UtxoChanges {
  readonly #created = new Map<string, CreatedCoin>();
  readonly #spent = new Map<string, SpentCoin>();
  readonly #unprovedCreated = new Map<string, CreatedCoin>();
  readonly #unprovedSpent = new Map<string, SpentCoin>();

  /**
   * A coinbase may repeat an earlier txid on chains where the height is not part of it (BIP-30). The second takes
   * the place of the first: there is one coin, and it keeps the first one's block.
   */
  create(coin: CreatedCoin): void {
    const key = outpointKey(coin);
    if (coin.isUnproved === true) {
      this.#unprovedCreated.set(key, coin);
      return;
    }
    const known = this.#created.get(key);
    if (known === undefined || known.spend !== undefined) this.#created.set(key, coin);
  }

  /** @param isUnproved the spending transaction lacks evidence: the coin stays unspent */
  spend(outpoint: Outpoint, spend: Spend, isUnproved = false): void {
    const key = outpointKey(outpoint);
    if (isUnproved) {
      this.#unprovedSpent.set(`${key} ${spend.by}`, { ...outpoint, spend });
      return;
    }
    const created = this.#created.get(key);
    if (created === undefined) this.#spent.set(key, { ...outpoint, spend });
    else this.#created.set(key, { ...created, spend });
  }

  /** A coin that was created in this step. */
  find(outpoint: Outpoint): KnownCoin | undefined {
    const key = outpointKey(outpoint);
    return this.#created.get(key) ?? this.#unprovedCreated.get(key);
  }

  get created(): readonly CreatedCoin[] {
    return [...this.#created.values()];
  }

  /** Coins of earlier steps. */
  get spent(): readonly SpentCoin[] {
    return [...this.#spent.values()];
  }

  /** Of transactions that lack evidence: they do not count yet. */
  get unproved(): { readonly created: readonly CreatedCoin[]; readonly spent: readonly SpentCoin[] } {
    return { created: [...this.#unprovedCreated.values()], spent: [...this.#unprovedSpent.values()] };
  }

  get isEmpty(): boolean {
    return [this.#created, this.#spent, this.#unprovedCreated, this.#unprovedSpent].every(
      ({ size }) => size === 0,
    );
  }
}
