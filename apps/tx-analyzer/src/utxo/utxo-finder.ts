// SPDX-License-Identifier: Apache-2.0
import type { AddressFilter, Transaction } from '@chainwatch/chain-core';
import { outpointKey } from '../model/coin.ts';

interface UtxoFilter {
  /** Has the match keys (scripts) of watched addresses. */
  readonly scripts: AddressFilter;
  /** Has the outpoints (`outpointKey`) of known coins. */
  readonly coins: AddressFilter;
}

/**
 * Finds transactions that may concern somebody: an output pays to a watched script, or an input spends a known
 * coin. A finder goes through transactions in order and remembers what it found, so that it sees a coin that is
 * created and spent among them.
 */
export class UtxoFinder {
  readonly #filter: UtxoFilter;
  readonly #created = new Set<string>();

  constructor(filter: UtxoFilter) {
    this.#filter = filter;
  }

  /** For a block that concerns nobody, allocates only the keys of the inputs. */
  find(transactions: readonly Transaction[]): Transaction[] {
    const found: Transaction[] = [];
    for (const transaction of transactions) {
      const pays = this.remember(transaction);
      if (pays || this.#spends(transaction)) found.push(transaction);
    }
    return found;
  }

  /** Remembers outputs that may be somebody's coins; returns whether there is one. */
  remember({ hash, utxo }: Transaction): boolean {
    let isHit = false;
    for (const [vout, { matchKey }] of (utxo?.outputs ?? []).entries()) {
      if (!this.#filter.scripts.has(matchKey)) continue;
      this.#created.add(outpointKey({ txid: hash, vout }));
      isHit = true;
    }
    return isHit;
  }

  #spends({ utxo }: Transaction): boolean {
    for (const input of utxo?.inputs ?? []) {
      const key = outpointKey(input);
      if (this.#created.has(key) || this.#filter.coins.has(key)) return true;
    }
    return false;
  }
}
