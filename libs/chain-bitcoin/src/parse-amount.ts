import { ChainClientError } from '@chainwatch/chain-core';

const SATOSHIS_PER_COIN = 1e8;
const COINS_MAX = 21e6;

/**
 * Satoshis of an amount in a node's JSON, which is in coins. Every amount up to 21 million with 8 decimals
 * passes through a double without loss.
 * @throws ChainClientError when it is no such amount
 */
export function parseAmount(what: string, coins: number): bigint {
  const satoshis = Math.round(coins * SATOSHIS_PER_COIN);
  if (!(coins >= 0 && coins <= COINS_MAX) || Math.abs(satoshis - coins * SATOSHIS_PER_COIN) > 0.01) {
    throw new ChainClientError(
      `${what}: expected an amount of at most ${COINS_MAX} with 8 decimals, got ${coins}`,
    );
  }
  return BigInt(satoshis);
}
