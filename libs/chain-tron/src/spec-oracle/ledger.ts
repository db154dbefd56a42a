// SPDX-License-Identifier: Apache-2.0
import { type Made, encodeFields } from '../spec-ledger-node.ts';
import { Book, hex, PRICE, type Account, bytes, TOKENS, TRX } from './book.ts';
import { MARKET_KINDS, runMarket, type Order } from './run-market.ts';
import { runStake, STAKE_KINDS } from './run-stake.ts';

const EXCHANGE_KINDS = [
  'ExchangeCreateContract',
  'ExchangeInjectContract',
  'ExchangeWithdrawContract',
  'ExchangeTransactionContract',
] as const;

interface Exchange {
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
function runExchange(
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

const ASSET_KINDS = [
  'TransferContract',
  'TransferAssetContract',
  'AssetIssueContract',
  'ParticipateAssetIssueContract',
  'UnfreezeAssetContract',
] as const;

const SUPPLY = 10_000;
const ISSUE_FEE = 1_024;
/** Ids of tokens go on over all chains of a run. */
let issued = 1_000_010;

/** Transfers, and issues of TRC-10 tokens. Undefined where java-tron would refuse it now. */
function runAsset(book: Book, kind: (typeof ASSET_KINDS)[number], owner: Account): Made | undefined {
  const make = book.makeFor(kind, owner);
  const other = book.pick(book.accounts.filter((one) => one !== owner));
  const amount = 2 + book.random(300);
  switch (kind) {
    case 'TransferContract':
      return book.move(owner, { to: other, token: TRX, amount })
        ? make({ to_address: other.address, amount })
        : undefined;
    case 'TransferAssetContract': {
      const token = book.pick(TOKENS);
      return book.move(owner, { to: other, token, amount })
        ? make({ to_address: other.address, asset_name: hex(token), amount })
        : undefined;
    }
    case 'AssetIssueContract':
      return owner.supply === undefined ? issue(book, owner) : undefined;
    case 'ParticipateAssetIssueContract': {
      if (other.supply === undefined) return undefined;
      const { token } = other.supply;
      const bought = Math.floor((amount * PRICE.num) / PRICE.trx_num);
      if (!book.move(other, { to: owner, token, amount: bought })) return undefined;
      book.move(owner, { to: other, token: TRX, amount });
      return make({ to_address: other.address, asset_name: hex(token), amount });
    }
    case 'UnfreezeAssetContract': {
      const { supply } = owner;
      const due = supply?.parts.filter((part) => part.due <= book.now) ?? [];
      if (supply === undefined || due.length === 0) return undefined;
      for (const part of due) book.give(owner, supply.token, part.amount);
      supply.parts = supply.parts.filter((part) => part.due > book.now);
      return { rawData: encodeFields(14, { 1: bytes(owner.address) }), info: book.withFee(owner) };
    }
  }
}

/** Most supplies have one part that waits: what becomes due of several is not told. */
function issue(book: Book, owner: Account): Made {
  const token = String((issued += 1));
  const parts = Array.from({ length: book.random(6) === 0 ? 2 : 1 }, (_, index) => ({
    amount: 100 + index,
    due: book.now + 3 + index,
  }));
  owner.supply = { token, issued: parts, parts };
  book.give(owner, token, SUPPLY - parts.reduce((sum, { amount }) => sum + amount, 0));
  // Days, then the amount: tronweb encodes issues for the time of its own clock.
  const supplies = parts.map(({ amount }) => Buffer.of(0x08, amount & 127, 0x10, 1));
  return {
    rawData: encodeFields(6, { 1: bytes(owner.address), 4: BigInt(SUPPLY), 5: supplies }),
    info: book.withFee(owner, { assetIssueID: token }, ISSUE_FEE),
  };
}

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
