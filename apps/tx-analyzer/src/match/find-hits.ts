// SPDX-License-Identifier: Apache-2.0
import {
  nativeOf,
  type AddressFilter,
  type BalanceChange,
  type BalanceQuery,
  type Block,
  type Network,
  type Transaction,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { UtxoAccess } from '../model/chain-context.ts';
import type { SetAsideLook, SetAsides } from '../model/set-asides.ts';
import { confirmAddresses } from '../watch/family-watch.ts';
import type { WatchedByAddress } from '../model/matched-transaction.ts';
import { readCoins } from '../utxo/read-coins.ts';
import { resolveUtxos } from '../utxo/resolve-utxos.ts';
import type { UtxoChanges } from '../model/utxo-changes.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';

const NONE: readonly never[] = [];

export interface HitDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly family: string;
  readonly network: Network;
  readonly watch: AddressFilter;
  readonly utxo?: UtxoAccess;
  readonly setAsides: SetAsides;
}

/** What in a block may concern somebody: the watch set holds only fingerprints, so the database decides. */
export interface BlockCandidates {
  readonly block: Block;
  readonly transactions: readonly Transaction[];
  readonly balanceChanges: readonly BalanceChange[];
  /** Named by a log that may have moved a balance. Absent: nobody. */
  readonly mentions?: readonly BalanceQuery[];
}

/** What in blocks concerns somebody: the database has confirmed who watches what. */
export interface Hits {
  /** In the order of the blocks. */
  readonly candidates: readonly (BlockCandidates | undefined)[];
  /** Of blocks already passed. */
  readonly retroactive: readonly BlockCandidates[];
  readonly watched: WatchedByAddress;
  readonly utxos?: UtxoChanges;
}

/**
 * Looks `blocks` up in the watch set, and the candidates in them and in passed blocks (`retroactive`) in the
 * database.
 */
export async function findHits(
  deps: HitDeps,
  blocks: readonly Block[],
  retroactive: readonly BlockCandidates[],
): Promise<Hits> {
  if (deps.utxo !== undefined) return findUtxoHits(deps, { utxo: deps.utxo, blocks, retroactive });
  const candidates = blocks.map((block) => findCandidates(block, deps.watch, deps.setAsides));
  const addresses = new Set<string>();
  for (const found of [...retroactive, ...candidates])
    if (found !== undefined) collectAddresses(found, deps.watch, addresses);
  return {
    candidates,
    retroactive,
    watched: await confirmAddresses(deps, addresses),
  };
}

/**
 * The transactions, balance changes, and mentions of a block with an address that `filter` has. Allocates nothing for a block
 * without one. A failed transaction concerns its sender and fee payer only; it moved nothing.
 */
export function findCandidates(
  block: Block,
  filter: AddressFilter,
  setAsides?: Pick<SetAsideLook, 'has'>,
): BlockCandidates | undefined {
  let transactions: Transaction[] | undefined;
  for (const transaction of block.transactions) {
    if (setAsides?.has(block, transaction.hash) === true) continue;
    if (concerns(transaction, filter)) (transactions ??= []).push(transaction);
  }
  let balanceChanges: BalanceChange[] | undefined;
  for (const change of block.balanceChanges) {
    if (filter.has(change.address)) (balanceChanges ??= []).push(change);
  }
  let mentions: BalanceQuery[] | undefined;
  for (const { assetGid, addresses } of block.mentions ?? NONE)
    for (const address of addresses) if (filter.has(address)) (mentions ??= []).push({ address, assetGid });
  if (transactions === undefined && balanceChanges === undefined && mentions === undefined) return undefined;
  return { block, transactions: transactions ?? NONE, balanceChanges: balanceChanges ?? NONE, mentions };
}

/** Adds every participating address that `filter` has to `found`. */
export function collectAddresses(
  candidates: BlockCandidates,
  filter: AddressFilter,
  found: Set<string>,
): void {
  const collect = (address: string | undefined): void => {
    if (address !== undefined && filter.has(address)) found.add(address);
  };
  for (const transaction of candidates.transactions) {
    collect(transaction.from);
    collect(transaction.fee?.payer);
    if (transaction.isFailed) continue;
    for (const transfer of transaction.transfers) {
      collect(transfer.from);
      collect(transfer.to);
    }
  }
  for (const change of candidates.balanceChanges) collect(change.address);
  for (const mention of candidates.mentions ?? NONE) collect(mention.address);
}

export function concerns(transaction: Transaction, filter: AddressFilter): boolean {
  const { from, fee } = transaction;
  if (from !== undefined && filter.has(from)) return true;
  if (fee?.payer !== undefined && fee.payer !== from && filter.has(fee.payer)) return true;
  if (transaction.isFailed) return false;
  for (const transfer of transaction.transfers) {
    if (transfer.from !== undefined && transfer.from !== from && filter.has(transfer.from)) return true;
    if (transfer.to !== undefined && filter.has(transfer.to)) return true;
  }
  return false;
}

async function findUtxoHits(
  deps: HitDeps,
  {
    utxo: { codec, coins },
    blocks,
    retroactive,
  }: {
    readonly utxo: UtxoAccess;
    readonly blocks: readonly Block[];
    readonly retroactive: readonly BlockCandidates[];
  },
): Promise<Hits> {
  const { sql, chainGid, family, network, watch, setAsides } = deps;
  const finder = new UtxoFinder({ scripts: watch, coins });
  // An output of a passed block may be spent in one of these.
  for (const { transactions } of retroactive)
    for (const transaction of transactions) finder.remember(transaction);
  const found = [
    ...retroactive,
    ...blocks.map((block) => ({
      block,
      transactions: finder.find(setAsides.keep(block)),
      balanceChanges: [],
    })),
  ];
  const { transactions, watched, changes } = await resolveUtxos(
    {
      nativeGid: nativeOf(network).gid,
      scripts: watch,
      findAddress: (matchKey) => codec.findAddress(network, matchKey),
      readCoins: (outpoints) => readCoins(sql, chainGid, outpoints),
      confirmAddresses: (addresses) => confirmAddresses({ sql, family, chainGid }, addresses),
    },
    found,
  );
  coins.add([...changes.created, ...changes.unproved.created]);
  const resolved = found.map((candidates, position) => ({
    ...candidates,
    transactions: transactions[position]!,
  }));
  return {
    candidates: resolved.slice(retroactive.length),
    retroactive: resolved.slice(0, retroactive.length),
    watched,
    utxos: changes,
  };
}
