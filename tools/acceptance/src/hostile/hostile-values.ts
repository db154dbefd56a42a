// SPDX-License-Identifier: Apache-2.0
import { encodeAbiParameters, type Hex } from 'viem';
import type { Random } from '../random.ts';

/** Draws from a list so that each extreme comes before any comes again: all come twice when there are twice as many draws. */
export class Extremes<T> {
  readonly #all: readonly T[];
  readonly #random: Random;
  #left: T[] = [];

  constructor(random: Random, all: readonly T[]) {
    this.#random = random;
    this.#all = all;
  }

  next(): T {
    if (this.#left.length === 0) this.#left = [...this.#all];
    return this.#left.splice(this.#random.int(0, this.#left.length - 1), 1)[0]!;
  }
}

const MAX_256 = 2n ** 256n - 1n;
/** At, over and under what a column, a signed number or a decimal holds. */
export const AMOUNTS: readonly bigint[] = [
  0n,
  1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n,
  2n ** 128n,
  10n ** 77n,
  2n ** 255n,
  MAX_256 - 1n,
  MAX_256,
];

/** Transfers of one amount in a transaction: nine times the largest is more than a column holds. */
export const COUNTS: readonly number[] = [1, 2, 8, 9, 12, 101, 250];

/** Bytes of names and symbols that readers, databases, and screens choke on. */
export const TEXTS: readonly Buffer[] = [
  Buffer.from(''),
  Buffer.from('USDC'),
  Buffer.from('US\u0000DC'),
  Buffer.from('\u0000'),
  Buffer.from('\u202eCDSU\u202c\u200f'),
  Buffer.from('eda080', 'hex'),
  Buffer.from('edbfbfeda080', 'hex'),
  Buffer.from('ff00fe80', 'hex'),
  Buffer.from('c0af', 'hex'),
  Buffer.from('\u2028\u2029\r\n\t\u001b[31m'),
  Buffer.from("'); DROP TABLE assets; --"),
  Buffer.from('=cmd|" /C calc"!A0,"\n'),
  Buffer.from('<script>alert(1)</script>{{7*7}}${7*7}%s%n'),
  Buffer.from('👩‍👩‍👧‍👦'.repeat(40)),
  Buffer.from('a\u0301'.repeat(400)),
];

export interface HostileAnswer {
  /** 0: `data`; 1: reverts; 2: burns all gas; 3: a text of `size` zero bytes. */
  readonly mode: 0 | 1 | 2 | 3;
  readonly size: bigint;
  readonly data: Hex;
}

const bytesOf = (type: 'string' | 'uint256' | 'bytes32', value: never): Hex =>
  encodeAbiParameters([{ type }], [value]);
const say = (data: Hex): HostileAnswer => ({ mode: 0, size: 0n, data });
const fail = (mode: 1 | 2): HostileAnswer => ({ mode, size: 0n, data: '0x' });
const long = (size: number): HostileAnswer => ({ mode: 3, size: BigInt(size), data: '0x' });

/** An ABI string of any bytes, which viem would not take as text. */
function encodeText(text: Buffer): Hex {
  return encodeAbiParameters([{ type: 'bytes' }], [`0x${text.toString('hex')}`]);
}

/** What `name()` and `symbol()` may answer. */
export const TEXT_ANSWERS: readonly HostileAnswer[] = [
  ...TEXTS.map((text) => say(encodeText(text))),
  say('0x'),
  say('0x00'),
  // An offset and a length that lead nowhere.
  say(`0x${'f'.repeat(128)}`),
  say(`0x${'20'.padStart(64, '0')}${'f'.repeat(64)}`),
  say(bytesOf('bytes32', `0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}` as never)),
  fail(1),
  fail(2),
  long(1_000_000),
  long(10_000_000),
];

/** What `decimals()` may answer. */
export const DECIMAL_ANSWERS: readonly HostileAnswer[] = [
  ...[0n, 6n, 18n, 77n, 78n, 255n, 256n, MAX_256].map((places) => say(bytesOf('uint256', places as never))),
  say('0x'),
  say('0x12'),
  say(`0x${'0'.repeat(126)}12`),
  fail(1),
  fail(2),
  long(10_000_000),
];

/** What `balanceOf()` may answer. */
export const BALANCE_ANSWERS: readonly HostileAnswer[] = [
  ...AMOUNTS.map((amount) => say(bytesOf('uint256', amount as never))),
  say('0x'),
  say('0xff'),
  say(`0x${'f'.repeat(640)}`),
  fail(1),
  fail(2),
  long(1_000_000),
  long(10_000_000),
];
