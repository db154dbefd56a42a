// SPDX-License-Identifier: Apache-2.0
import type { AddressFilter, BlockHeader, Transaction } from '@chainwatch/chain-core';
import { collectAddresses, concerns } from '../match/find-hits.ts';
import type { MatchedTransaction, WatchedByAddress } from '../model/matched-transaction.ts';
import { matchTransactions } from '../match/match-transactions.ts';
import { outpointKey, type KnownCoin } from '../model/coin.ts';
import type { PendingTracker } from './pending-tracker.ts';
import { listUsed } from '../match/prepare-blocks.ts';
import { resolveUtxos, type UtxoDeps } from '../utxo/resolve-utxos.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';

/** What UTXO chains need in addition: coins by outpoint. */
export type UtxoMempoolDeps = Omit<UtxoDeps, 'scripts' | 'confirmAddresses'> & {
  readonly coins: AddressFilter;
};

export interface PrepareMempoolDeps {
  /** Holds what is watched: addresses, or scripts on UTXO chains. */
  readonly watch: AddressFilter;
  readonly utxo?: UtxoMempoolDeps;
  readonly confirmAddresses: (addresses: ReadonlySet<string>) => Promise<WatchedByAddress>;
  readonly pending: PendingTracker;
}

export interface PreparedMempool {
  readonly matches: readonly MatchedTransaction[];
  /** Outputs to watched addresses, by `outpointKey`. */
  readonly coins: ReadonlyMap<string, KnownCoin>;
  /** Derived addresses that a transaction touches for the first time. */
  readonly usedIds: readonly string[];
}

export const NOTHING_PREPARED: PreparedMempool = { matches: [], coins: new Map(), usedIds: [] };

/** Above every block: for an unmined transaction, an address counts as soon as it is registered. */
const UNMINED: BlockHeader = { number: Number.MAX_SAFE_INTEGER, hash: '', parentHash: '', timestamp: 0 };

/**
 * Selects transactions (parents before children) that may concern somebody or that spend what a pending transaction
 * spends, and the parents of these and of pending ones, whoever they belong to: a child disappears with its parent.
 * Keeps the order.
 */
export function findMempoolCandidates(
  { watch, utxo, pending }: PrepareMempoolDeps,
  transactions: readonly Transaction[],
): Transaction[] {
  if (utxo === undefined) return transactions.filter((transaction) => concerns(transaction, watch));
  const finder = new UtxoFinder({
    scripts: watch,
    coins: { has: (key) => utxo.coins.has(key) || pending.touches(key) },
  });
  const wanted = new Set(finder.find(transactions).map(({ hash }) => hash));
  for (const { hash, utxo } of transactions.toReversed()) {
    if (pending.isParent(hash)) wanted.add(hash);
    if (wanted.has(hash)) for (const { txid } of utxo?.inputs ?? []) wanted.add(txid);
  }
  return transactions.filter(({ hash }) => wanted.has(hash));
}

/** What candidates, parents before children, mean to each project. */
export async function prepareMempool(
  deps: PrepareMempoolDeps,
  candidates: readonly Transaction[],
): Promise<PreparedMempool> {
  const { utxo, pending } = deps;
  if (utxo === undefined) {
    const addresses = new Set<string>();
    collectAddresses(
      {
        block: { ...UNMINED, transactions: [], balanceChanges: [], touchedAssets: [] },
        transactions: candidates,
        balanceChanges: [],
      },
      deps.watch,
      addresses,
    );
    return {
      ...NOTHING_PREPARED,
      matches: matchTransactions({
        block: UNMINED,
        transactions: candidates,
        watched: await deps.confirmAddresses(addresses),
      }),
    };
  }
  const { transactions, watched, changes } = await resolveUtxos(
    {
      ...utxo,
      scripts: deps.watch,
      confirmAddresses: deps.confirmAddresses,
      readCoins: async (outpoints) => {
        const coins = new Map<string, KnownCoin>();
        // A pending transaction counts for nothing: it takes coins that count and those that do not alike.
        for (const [key, { address, amountRaw }] of await utxo.readCoins(outpoints))
          coins.set(key, { address, amountRaw });
        for (const key of outpoints.map(outpointKey)) {
          const coin = coins.has(key) ? undefined : pending.findCoin(key);
          if (coin !== undefined) coins.set(key, coin);
        }
        return coins;
      },
    },
    [{ transactions: candidates }],
  );
  const coins = changes.created.map((coin): [string, KnownCoin] => [
    outpointKey(coin),
    { address: coin.address, amountRaw: coin.amountRaw },
  ]);
  const matches = matchTransactions({ block: UNMINED, transactions: transactions.flat(), watched });
  return { matches, coins: new Map(coins), usedIds: listUsed(matches, watched) };
}

/** Each transaction after those among `transactions` whose outputs it spends, otherwise in the order given. */
export function sortByParents(transactions: readonly Transaction[]): Transaction[] {
  const byHash = new Map(transactions.map((transaction) => [transaction.hash, transaction]));
  const sorted = new Set<Transaction>();
  // An explicit stack: a chain of unconfirmed transactions may be as long as a mempool allows.
  for (const first of transactions) {
    const stack = [first];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parent = findParentToCome(top, byHash, sorted);
      if (parent !== undefined && !stack.includes(parent)) stack.push(parent);
      else sorted.add(stack.pop()!);
    }
  }
  return [...sorted];
}

function findParentToCome(
  { utxo }: Transaction,
  byHash: ReadonlyMap<string, Transaction>,
  sorted: ReadonlySet<Transaction>,
): Transaction | undefined {
  for (const { txid } of utxo?.inputs ?? []) {
    const parent = byHash.get(txid);
    if (parent !== undefined && !sorted.has(parent)) return parent;
  }
  return undefined;
}
