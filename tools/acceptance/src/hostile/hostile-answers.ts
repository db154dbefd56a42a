// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../random.ts';
import {
  AMOUNTS,
  BALANCE_ANSWERS,
  COUNTS,
  DECIMAL_ANSWERS,
  Extremes,
  TEXT_ANSWERS,
  type HostileAnswer,
} from './hostile-values.ts';

/** Selectors of the views that the service asks for. */
export const VIEWS = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
} as const;
const SUPPLY: HostileAnswer = { mode: 0, size: 0n, data: `0x${'1'.padStart(64, '0')}` };

/** What hostile tokens answer and move, each extreme before any comes again. */
export class HostileAnswers {
  readonly #amounts: Extremes<bigint>;
  readonly #counts: Extremes<number>;
  readonly #names: Extremes<HostileAnswer>;
  readonly #symbols: Extremes<HostileAnswer>;
  readonly #decimals: Extremes<HostileAnswer>;
  readonly #balances: Extremes<HostileAnswer>;

  constructor(random: Random) {
    this.#amounts = new Extremes(random, AMOUNTS);
    this.#counts = new Extremes(random, COUNTS);
    this.#names = new Extremes(random, TEXT_ANSWERS);
    this.#symbols = new Extremes(random, TEXT_ANSWERS);
    this.#decimals = new Extremes(random, DECIMAL_ANSWERS);
    this.#balances = new Extremes(random, BALANCE_ANSWERS);
  }

  /** In the order of `VIEWS`. */
  nextToken(): readonly HostileAnswer[] {
    return [this.#names.next(), this.#symbols.next(), this.#decimals.next(), SUPPLY, this.#balances.next()];
  }

  /** One amount, as often as it moves in a transaction. */
  nextValues(): bigint[] {
    const amount = this.#amounts.next();
    return Array.from({ length: this.#counts.next() }, () => amount);
  }
}
