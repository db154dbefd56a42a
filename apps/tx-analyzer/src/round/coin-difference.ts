// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Coin, Outpoint } from '@chainwatch/chain-core';

/** A coin of which a node says something else than the database. */
export interface CoinDifference extends Outpoint {
  readonly address: string;
  /** What the database counts, base units; absent: it counts no such coin. */
  readonly knownRaw?: bigint;
  /** The coin by the node; absent: it is spent, or was never there. */
  readonly told?: Pick<Coin, 'amountRaw' | 'isCoinbase' | 'blockNumber'>;
}

/** A difference of one scan, kept until a second one shows it too or does not. */
export interface CoinDoubt {
  readonly address: string;
  readonly block: BlockRef;
  /** `differenceKey` of each coin. */
  readonly coins: ReadonlySet<string>;
}

/** The same for the same difference of the same coin: `<txid>:<vout>:<known>:<told>`. */
export function differenceKey({ txid, vout, knownRaw, told }: CoinDifference): string {
  return [txid, vout, knownRaw ?? '', told?.amountRaw ?? ''].join(':');
}

/** By how much the balances of the addresses are too low, base units; below zero: too high. */
export function sumByAddress(differences: readonly CoinDifference[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { address, knownRaw = 0n, told } of differences)
    sums.set(address, (sums.get(address) ?? 0n) + (told?.amountRaw ?? 0n) - knownRaw);
  return sums;
}
