import { ChainClientError } from '@chainwatch/chain-core';

const satoshisPerCoin = 1e8;
const coinsMax = 21e6;

/**
 * Satoshis of an amount in a node's JSON, which is in coins. Every amount up to 21 million with 8 decimals survives the way
 * through a double.
 * @throws ChainClientError when it is no such amount
 */
export function parseAmount(what: string, coins: number): bigint {
  const satoshis = Math.round(coins * satoshisPerCoin);
  if (!(coins >= 0 && coins <= coinsMax) || Math.abs(satoshis - coins * satoshisPerCoin) > 0.01) {
    throw new ChainClientError(
      `${what}: expected an amount of at most ${coinsMax} with 8 decimals, got ${coins}`,
    );
  }
  return BigInt(satoshis);
}
