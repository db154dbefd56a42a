// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { z } from 'zod';

/** An amount in a node's JSON: a number, or the text of one that no number holds (`parseExactJson`). */
export const amountSchema = z.union([z.number(), z.string()]);

const DECIMALS = 8;
const BASE_UNITS = 10 ** DECIMALS;
/** Up to here two amounts with 8 decimals are two different doubles. */
const EXACT_MAX = 2 ** 26;
/** What an output has room for: 8 bytes, signed. */
const ROOM = 2n ** 63n - 1n;

interface Amount {
  /** The method that told it. */
  readonly what: string;
  readonly coins: number | string;
  /** All coins that there can be; absent where there is no limit. */
  readonly coinsMax?: number | undefined;
}

/**
 * Base units of an amount in a node's JSON, which is in coins with 8 decimals.
 * @throws ChainClientError when it is no such amount, or one that lost digits on the way
 */
export function parseAmount({ what, coins, coinsMax }: Amount): bigint {
  const amountRaw = typeof coins === 'number' ? ofNumber(coins) : ofText(coins);
  const limit = coinsMax === undefined ? ROOM : BigInt(coinsMax) * BigInt(BASE_UNITS);
  if (amountRaw === undefined || amountRaw > limit)
    throw new ChainClientError(
      `${what}: expected an amount of at most ${coinsMax ?? String(ROOM)} with ${DECIMALS} decimals, got ${coins}`,
    );
  return amountRaw;
}

function ofNumber(coins: number): bigint | undefined {
  if (Number.isSafeInteger(coins) && coins >= 0) return BigInt(coins) * BigInt(BASE_UNITS);
  const amount = Math.round(coins * BASE_UNITS);
  const isAmount = coins >= 0 && coins <= EXACT_MAX && Math.abs(amount - coins * BASE_UNITS) <= 0.01;
  return isAmount ? BigInt(amount) : undefined;
}

function ofText(coins: string): bigint | undefined {
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,8}))?$/.exec(coins) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(DECIMALS, '0'));
}
