// SPDX-License-Identifier: Apache-2.0
import type { Coin } from '@chainwatch/chain-core';
import type { EsploraClient, EsploraStats } from './esplora-client.ts';
import { matchKeyOf } from './script-address.ts';

export type IndexCoin = Omit<Coin, 'isCoinbase'>;

/**
 * The confirmed coins of one address. Esplora's list leaves out coins that a mempool transaction spends,
 * though the chain still has them. They are put back from the spending transactions; the address's totals
 * tell when that is needed, and whether all are there.
 * @returns undefined when the totals do not match, because something changed meanwhile
 */
export async function readIndexCoins(
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
