// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError } from '@chainwatch/chain-core';
import type { BlockRef, Coin, CoinScan } from '@chainwatch/chain-core';
import type { EsploraClient } from './esplora-client.ts';
import { findCoinbaseOutpoints } from './find-coinbase-outpoints.ts';
import { findHeaderByHash } from './read-headers.ts';
import { readIndexCoins } from './read-index-coins.ts';
import type { IndexCoin } from './read-index-coins.ts';
import type { Session } from './session.ts';

/** Addresses that are read concurrently; the slots of the index's client bound the requests. */
const ADDRESSES_AT_ONCE = 8;
const RETRY_DELAYS_MS = [0, 200, 500, 1_000, 2_000];

/**
 * Coins of `addresses` from the index beside the node, at one block that the node also knows. If the tip
 * moves meanwhile the answers belong to two blocks, and the index is asked again.
 * @throws ChainClientError when the tip kept moving, or index and node disagree
 */
export async function scanIndex(
  session: Session,
  {
    index,
    addresses,
    signal,
  }: { readonly index: EsploraClient; readonly addresses: readonly string[]; readonly signal?: AbortSignal },
): Promise<CoinScan> {
  for (const delayMs of RETRY_DELAYS_MS) {
    await pause(delayMs, signal);
    const before = await index.readTipHash(signal);
    const coins = await readAll(index, addresses, signal);
    if (coins === undefined || (await index.readTipHash(signal)) !== before) continue;
    const at = await findHeaderByHash(session, before, signal);
    if (at !== undefined)
      return {
        at: { number: at.number, hash: at.hash },
        coins: await toCoins({ session, index, at }, coins, signal),
      };
  }
  throw new ChainClientError(
    `index: expected the coins of ${addresses.length} addresses at one block of the node, the tip kept moving`,
  );
}

/** Undefined as soon as the index contradicts itself about one address. */
async function readAll(
  index: EsploraClient,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<IndexCoin[] | undefined> {
  const coins: IndexCoin[] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES_AT_ONCE) {
    const some = await Promise.all(
      addresses
        .slice(start, start + ADDRESSES_AT_ONCE)
        .map((address) => readIndexCoins(index, address, signal)),
    );
    for (const found of some) {
      if (found === undefined) return undefined;
      coins.push(...found);
    }
  }
  return coins;
}

/** The node's UTXO set tells which coins come from a coinbase; for coins spent since, the index does. */
async function toCoins(
  { session, index, at }: { session: Session; index: EsploraClient; at: BlockRef },
  found: readonly IndexCoin[],
  signal?: AbortSignal,
): Promise<Coin[]> {
  const told = await findCoinbaseOutpoints(session, found, signal);
  return Promise.all(
    found.map(async (coin) => {
      if (coin.blockNumber > at.number)
        throw new ChainClientError(
          `index: expected coins up to block ${at.number}, got one of ${coin.blockNumber}`,
        );
      const isCoinbase =
        told.get(`${coin.txid}:${coin.vout}`) ?? (await isCoinbaseByIndex(index, coin.txid, signal));
      return { ...coin, isCoinbase };
    }),
  );
}

async function isCoinbaseByIndex(index: EsploraClient, txid: string, signal?: AbortSignal): Promise<boolean> {
  const { vin } = await index.readTransaction(txid, signal);
  return vin[0]?.is_coinbase === true;
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (delayMs === 0) return;
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    throw new ChainClientError('index: aborted', { cause: error });
  }
}
