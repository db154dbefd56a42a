// SPDX-License-Identifier: Apache-2.0
import type { Made } from '../spec-ledger-node.ts';
import { Book, hex, PRICE, type Account } from './book.ts';
import { ASSET_KINDS, runAsset } from './run-asset.ts';
import { EXCHANGE_KINDS, runExchange, type Exchange } from './run-exchange.ts';
import { MARKET_KINDS, runMarket, type Order } from './run-market.ts';
import { runStake, STAKE_KINDS } from './run-stake.ts';

export interface Step extends Made {
  readonly kind: string;
}

/**
 * A small model of java-tron's actuators: balances, stakes of both kinds, rewards, exchanges, the market, TRC-10 supplies.
 * It shares nothing with the decoder: state is what the actuators change, and records are what they return.
 */
export class SpecLedger {
  static readonly kinds: readonly string[] = [
    ...STAKE_KINDS,
    ...ASSET_KINDS,
    ...EXCHANGE_KINDS,
    ...MARKET_KINDS,
  ];

  readonly #book: Book;
  readonly #exchanges: Exchange[] = [];
  readonly #orders: Order[] = [];

  constructor(seed: number, accounts: number) {
    this.#book = new Book(seed, accounts);
  }

  /** Orders of which a rest came back at once. */
  get returnedCount(): number {
    return this.#orders.filter(({ returned }) => returned > 0).length;
  }

  /** By `41…` and token. */
  balances(): Map<string, bigint> {
    return new Map(
      this.#book.accounts.flatMap(({ address, held }) =>
        [...held].map(([token, amount]): [string, bigint] => [`${address} ${token}`, BigInt(amount)]),
      ),
    );
  }

  /** What the node is asked about, from the state at its head. */
  get answers(): Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => object>> {
    return {
      getassetissuebyid: ({ value }) => ({ id: value, ...PRICE }),
      getassetissuebyaccount: ({ address }) => {
        const { token, issued } = this.#book.accounts.find((one) => one.address === address)!.supply!;
        const supply = issued.map(({ amount }) => ({ frozen_amount: amount, frozen_days: 1 }));
        return { assetIssue: [{ id: token, ...PRICE, frozen_supply: supply }] };
      },
      getexchangebyid: ({ id }) => {
        const [first, second] = this.#exchanges[Number(id) - 1]!.tokens.map(hex);
        return { exchange_id: id, first_token_id: first, second_token_id: second };
      },
      getmarketorderbyid: ({ value }) => {
        const { owner, sells, buys, returned } = this.#orders.find(({ id }) => id === value)!;
        return {
          owner_address: owner.address,
          sell_token_id: hex(sells),
          buy_token_id: hex(buys),
          ...(returned > 0 && { sell_token_quantity_return: returned }),
        };
      },
    };
  }

  /** One transaction of a kind that is possible now. */
  step(): Step {
    const book = this.#book;
    book.now += 1;
    for (const account of book.accounts) account.allowance += book.random(50);
    for (;;) {
      const kind = book.pick(SpecLedger.kinds);
      const made = this.#run(kind, book.pick(book.accounts));
      if (made !== undefined) return { kind, ...made };
    }
  }

  #run(kind: string, owner: Account): Made | undefined {
    const isOf = <T extends string>(kinds: readonly T[], one: string): one is T => kinds.includes(one as T);
    if (isOf(STAKE_KINDS, kind)) return runStake(this.#book, kind, owner);
    if (isOf(ASSET_KINDS, kind)) return runAsset(this.#book, kind, owner);
    if (isOf(EXCHANGE_KINDS, kind))
      return runExchange(this.#book, kind, { owner, exchanges: this.#exchanges });
    return isOf(MARKET_KINDS, kind)
      ? runMarket(this.#book, kind, { owner, orders: this.#orders })
      : undefined;
  }
}
