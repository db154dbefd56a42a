// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError, type BlockRef, type Coin, type CoinScan } from '@chainwatch/chain-core';
import type { EsploraClient, EsploraStats } from './esplora-client.ts';
import { findCoinbaseOutpoints } from './scan-tx-out-set.ts';
import { findHeaderByHash } from './read-headers.ts';
import type { Session } from './session.ts';
import { matchKeyOf } from './script-address.ts';

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

type IndexCoin = Omit<Coin, 'isCoinbase'>;

/**
 * The confirmed coins of one address. Esplora's list leaves out coins that a mempool transaction spends,
 * though the chain still has them. They are put back from the spending transactions; the address's totals
 * tell when that is needed, and whether all are there.
 * @returns undefined when the totals do not match, because something changed meanwhile
 */
async function readIndexCoins(
  index: EsploraClient,
  address: string,
  signal?: AbortSignal,
): Promise<IndexCoin[] | undefined> {
  const stats = await index.findStats(address, signal);
  if (stats !== undefined && countOf(stats) === 0) return [];
  const coins = new Map<string, IndexCoin>();
  for (const { txid, vout, value, status } of await index.readUtxos(address, signal)) {
    if (!status.confirmed || typeof status.block_height !== 'number') continue;
    coins.set(`${txid}:${vout}`, {
      txid,
      vout,
      address,
      amountRaw: value,
      blockNumber: status.block_height,
    });
  }
  if (stats !== undefined && isWhole(stats, coins)) return [...coins.values()];
  await addSpentByMempool(index, { address, coins, signal });
  return stats === undefined || isWhole(stats, coins) ? [...coins.values()] : undefined;
}

async function addSpentByMempool(
  index: EsploraClient,
  {
    address,
    coins,
    signal,
  }: { readonly address: string; readonly coins: Map<string, IndexCoin>; readonly signal?: AbortSignal },
): Promise<void> {
  const script = matchKeyOf(address);
  const inputs = (await index.readUnconfirmed(address, signal)).flatMap(({ vin }) => vin);
  for (const { txid, vout, prevout } of inputs) {
    if (prevout?.scriptpubkey !== script || coins.has(`${txid}:${vout}`)) continue;
    const { status } = await index.readTransaction(txid, signal);
    if (!status.confirmed || typeof status.block_height !== 'number') continue;
    coins.set(`${txid}:${vout}`, {
      txid,
      vout,
      address,
      amountRaw: prevout.value,
      blockNumber: status.block_height,
    });
  }
}

function isWhole(stats: EsploraStats, coins: ReadonlyMap<string, IndexCoin>): boolean {
  const sum = [...coins.values()].reduce((total, { amountRaw }) => total + amountRaw, 0n);
  return coins.size === countOf(stats) && sum === stats.funded_txo_sum - stats.spent_txo_sum;
}

function countOf({ funded_txo_count: funded, spent_txo_count: spent }: EsploraStats): number {
  return funded - spent;
}
