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

  /**
   * A coinbase may repeat an earlier txid on chains where the height is not part of it (BIP-30). The second takes
   * the place of the first: there is one coin, and it keeps the first one's block.
   */
  create(coin: CreatedCoin): void {
    const key = outpointKey(coin);
    const known = this.#created.get(key);
    if (known === undefined || known.spend !== undefined) this.#created.set(key, coin);
  }

  spend(outpoint: Outpoint, spend: Spend): void {
    const key = outpointKey(outpoint);
    const created = this.#created.get(key);
    if (created === undefined) this.#spent.set(key, { ...outpoint, spend });
    else this.#created.set(key, { ...created, spend });
  }

  /** A coin that was created in this step. */
  find(outpoint: Outpoint): KnownCoin | undefined {
    return this.#created.get(outpointKey(outpoint));
  }

  get created(): readonly CreatedCoin[] {
    return [...this.#created.values()];
  }

  /** Coins of earlier steps. */
  get spent(): readonly SpentCoin[] {
    return [...this.#spent.values()];
  }

  get isEmpty(): boolean {
    return this.#created.size === 0 && this.#spent.size === 0;
  }
}
