// SPDX-License-Identifier: Apache-2.0
import { accountHex, encodeKind, type Made } from '../spec-ledger-node.ts';

/** TRX, as exchanges and the market write it. */
export const TRX = '_';
/** Tokens that there are from the start; each account may issue one more. */
export const TOKENS = ['1000001', '1000002'] as const;
export const TRX_PRECISION = 1_000_000;
/** Of every issue: `num` units cost `trx_num` sun. */
export const PRICE = { num: 3, trx_num: 2 };

export const hex = (text: string): string => Buffer.from(text).toString('hex');
export const bytes = (digits: string): Buffer => Buffer.from(digits, 'hex');

/** Something that waits for a time, which is a count of steps. */
export interface Waiting {
  readonly amount: number;
  readonly due: number;
}

export interface Account {
  readonly address: string;
  /** By token. */
  readonly held: Map<string, number>;
  frozen: number;
  frozenV2: number;
  waiting: Waiting[];
  allowance: number;
  supply: { readonly token: string; readonly issued: readonly Waiting[]; parts: Waiting[] } | undefined;
}

/** Makes the transaction of a step by its parameter and what its record has. */
export type Make = (value: object, info?: object, cost?: number) => Made;

/** Balances of accounts, and a source of chance that is the same at every run. */
export class Book {
  readonly accounts: readonly Account[];
  now = 0;
  #seed: number;

  constructor(seed: number, accounts: number) {
    this.#seed = seed * 7_919;
    this.accounts = Array.from({ length: accounts }, (_, index) => ({
      address: accountHex(index),
      held: new Map([[TRX, 1_000_000_000], ...TOKENS.map((token): [string, number] => [token, 100_000])]),
      frozen: 0,
      frozenV2: 0,
      waiting: [],
      allowance: 0,
      supply: undefined,
    }));
  }

  makeFor(kind: string, owner: Account): Make {
    return (value, info = {}, cost = 0) => ({
      rawData: encodeKind(kind, { owner_address: owner.address, ...value }),
      info: this.withFee(owner, info, cost),
    });
  }

  /** A record with the fee of the transaction, which the owner pays. */
  withFee(owner: Account, info: object = {}, cost = 0): object {
    const fee = cost + this.random(3) * 100;
    return this.take(owner, TRX, fee) && fee > 0 ? { ...info, fee } : info;
  }

  give({ held }: Account, token: string, amount: number): void {
    held.set(token, (held.get(token) ?? 0) + amount);
  }

  take({ held }: Account, token: string, amount: number): boolean {
    const before = held.get(token) ?? 0;
    if (before < amount) return false;
    held.set(token, before - amount);
    return true;
  }

  takeBoth(
    account: Account,
    [one, other]: readonly [string, string],
    [first, second]: readonly [number, number],
  ): boolean {
    if ((account.held.get(one) ?? 0) < first || (account.held.get(other) ?? 0) < second) return false;
    return this.take(account, one, first) && this.take(account, other, second);
  }

  move(from: Account, { to, token, amount }: { to: Account; token: string; amount: number }): boolean {
    if (!this.take(from, token, amount)) return false;
    this.give(to, token, amount);
    return true;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)]!;
  }

  /** 0 to `below` - 1 (mulberry32). */
  random(below: number): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % below;
  }
}
