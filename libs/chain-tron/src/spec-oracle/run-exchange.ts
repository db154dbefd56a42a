// SPDX-License-Identifier: Apache-2.0
import type { Made } from '../spec-ledger-node.ts';
import { hex, TOKENS, TRX, type Account, type Book } from './book.ts';

export const EXCHANGE_KINDS = [
  'ExchangeCreateContract',
  'ExchangeInjectContract',
  'ExchangeWithdrawContract',
  'ExchangeTransactionContract',
] as const;

export interface Exchange {
  readonly creator: Account;
  readonly tokens: readonly [string, string];
  readonly pools: [number, number];
}

const CREATE_FEE = 1_024;
const PAIRS = [
  [TRX, TOKENS[0]],
  [TOKENS[1], TRX],
  [TOKENS[0], TOKENS[1]],
] as const;

/** Exchanges with two pools. Undefined where java-tron would refuse it now. */
export function runExchange(
  book: Book,
  kind: (typeof EXCHANGE_KINDS)[number],
  { owner, exchanges }: { readonly owner: Account; readonly exchanges: Exchange[] },
): Made | undefined {
  const make = book.makeFor(kind, owner);
  if (kind === 'ExchangeCreateContract') {
    const tokens = book.pick(PAIRS);
    const pools: [number, number] = [1_000 + book.random(500), 1_000 + book.random(500)];
    if (!book.takeBoth(owner, tokens, pools)) return undefined;
    exchanges.push({ creator: owner, tokens, pools });
    const [first, second] = tokens.map(hex);
    const value = {
      first_token_id: first,
      first_token_balance: pools[0],
      second_token_id: second,
      second_token_balance: pools[1],
    };
    return make(value, { exchange_id: exchanges.length }, CREATE_FEE);
  }
  if (exchanges.length === 0) return undefined;
  const id = 1 + book.random(exchanges.length);
  const { creator, tokens, pools } = exchanges[id - 1]!;
  const side = book.random(2) as 0 | 1;
  const across = (1 - side) as 0 | 1;
  const quant = 10 + book.random(90);
  const value = { exchange_id: id, token_id: hex(tokens[side]), quant };
  const another =
    kind === 'ExchangeTransactionContract'
      ? Math.floor((pools[across] * quant) / (pools[side] + quant))
      : Math.floor((pools[across] * quant) / pools[side]);
  if (another === 0) return undefined;
  const change = (own: number, opposite: number): void => {
    pools[side] += own;
    pools[across] += opposite;
  };
  if (kind === 'ExchangeTransactionContract') {
    if (!book.take(owner, tokens[side], quant)) return undefined;
    book.give(owner, tokens[across], another);
    change(quant, -another);
    return make({ ...value, expected: 1 }, { exchange_received_amount: another });
  }
  if (creator !== owner) return undefined;
  if (kind === 'ExchangeInjectContract') {
    if (!book.takeBoth(owner, [tokens[side], tokens[across]], [quant, another])) return undefined;
    change(quant, another);
    return make(value, { exchange_inject_another_amount: another });
  }
  if (pools[side] <= quant || pools[across] <= another) return undefined;
  book.give(owner, tokens[side], quant);
  book.give(owner, tokens[across], another);
  change(-quant, -another);
  return make(value, { exchange_withdraw_another_amount: another });
}
