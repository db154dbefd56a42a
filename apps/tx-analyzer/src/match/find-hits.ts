import type { AddressFilter, Block, Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { UtxoAccess } from '../model/chain-context.ts';
import { confirmAddresses } from '../watch/confirm-addresses.ts';
import { collectAddresses, findCandidates, type BlockCandidates } from './find-candidates.ts';
import type { WatchedByAddress } from '../model/matched-transaction.ts';
import { readCoins } from '../utxo/read-coins.ts';
import { resolveUtxos } from '../utxo/resolve-utxos.ts';
import type { UtxoChanges } from '../model/utxo-changes.ts';
import { UtxoFinder } from '../utxo/utxo-finder.ts';

export interface HitDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly family: string;
  readonly network: Network;
  readonly watch: AddressFilter;
  readonly utxo?: UtxoAccess;
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
  if (deps.utxo !== undefined) return findUtxoHits(deps, deps.utxo, blocks, retroactive);
  const candidates = blocks.map((block) => findCandidates(block, deps.watch));
  const addresses = new Set<string>();
  for (const found of [...retroactive, ...candidates])
    if (found !== undefined) collectAddresses(found, deps.watch, addresses);
  return {
    candidates,
    retroactive,
    watched: await confirmAddresses(deps, addresses),
  };
}

async function findUtxoHits(
  deps: HitDeps,
  { codec, coins }: UtxoAccess,
  blocks: readonly Block[],
  retroactive: readonly BlockCandidates[],
): Promise<Hits> {
  const { sql, chainGid, family, network, watch } = deps;
  const finder = new UtxoFinder({ scripts: watch, coins });
  // An output of a passed block may be spent in one of these.
  for (const { transactions } of retroactive)
    for (const transaction of transactions) finder.remember(transaction);
  const found = [
    ...retroactive,
    ...blocks.map((block) => ({ block, transactions: finder.find(block.transactions), balanceChanges: [] })),
  ];
  const { transactions, watched, changes } = await resolveUtxos(
    {
      nativeGid: network.native.gid,
      scripts: watch,
      findAddress: (matchKey) => codec.findAddress(network, matchKey),
      readCoins: (outpoints) => readCoins(sql, chainGid, outpoints),
      confirmAddresses: (addresses) => confirmAddresses({ sql, family, chainGid }, addresses),
    },
    found,
  );
  coins.add(changes.created);
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
