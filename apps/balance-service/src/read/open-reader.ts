// SPDX-License-Identifier: Apache-2.0
import { splitChainGid } from '@chainwatch/common/caip';
import {
  createChainOpener,
  findNetworkOf,
  type ActiveChain,
  type ChainOpenerOptions,
  nativeOf,
  BlockNotFoundError,
  type BalanceQuery,
  type BlockRef,
  type Network,
} from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import type { BalanceReader } from './balance-reader.ts';

export interface ReaderOpenerOptions extends ChainOpenerOptions {
  readonly db: Database;
}

/**
 * Opens the reader of a chain's balances: its nodes, or the coins in the database where nodes have no index of
 * addresses.
 */
export function createReaderOpener(
  options: ReaderOpenerOptions,
): (chain: ActiveChain) => Promise<BalanceReader> {
  const openChain = createChainOpener(options);
  return async (chain) => {
    const family = await options.findFamily(splitChainGid(chain.gid).namespace);
    if (family?.utxo !== undefined)
      return createUtxoReader({ db: options.db, network: findNetworkOf(chain, family) });
    const { client } = await openChain(chain);
    return {
      network: client.network,
      readHead: (signal) => client.readHead(signal),
      readBalances: (...query) => client.readBalances(...query),
      readBalancesElsewhere: (...query) => client.readBalancesElsewhere(...query),
      close: () => client.close(),
      tellsHeadOnly: family?.tellsHeadOnly,
      countBalanceRequests: family?.countBalanceRequests,
    };
  };
}

interface Row {
  readonly address: string;
  readonly amount_raw: string;
}

/**
 * Balances of a chain of unspent outputs, from the coins of watched addresses. Coins and blocks are seen in one
 * snapshot: a block counts when the analyzer stored it and it is canonical. Immature coins are part of the balance.
 */
export function createUtxoReader({
  db,
  network,
}: {
  readonly db: Sql;
  readonly network: Network;
}): BalanceReader {
  return {
    network,
    verification: 'proved',
    readBalances: async (at, queries, signal) => {
      signal?.throwIfAborted();
      const amounts = await sumCoins(db, {
        chainGid: network.gid,
        block: at,
        addresses: [...new Set(queries.map(({ address }) => address))],
      });
      return queries.map(({ address, assetGid }: BalanceQuery) =>
        assetGid === nativeOf(network).gid ? amounts.get(address) : undefined,
      );
    },
    close: () => undefined,
  };
}

/** @throws BlockNotFoundError when the analyzer has not reached the block, or it is an orphan */
async function sumCoins(
  db: Sql,
  {
    chainGid,
    block: { number, hash },
    addresses,
  }: { readonly chainGid: string; readonly block: BlockRef; readonly addresses: readonly string[] },
): Promise<Map<string, bigint>> {
  const { rows } = await db.query<Row>(
    `SELECT t.address, (
       SELECT coalesce(sum(c.amount_raw), 0) FROM (
         SELECT amount_raw FROM utxos WHERE chain_gid = $1 AND address = t.address AND block_number <= $2 AND spent_block_number IS NULL
         UNION ALL
         SELECT amount_raw FROM utxos WHERE chain_gid = $1 AND address = t.address AND block_number <= $2 AND spent_block_number > $2
       ) c)::text AS amount_raw
     FROM unnest($4::text[]) AS t (address)
     WHERE EXISTS (
       SELECT 1 FROM canonical_blocks($1, $2, $2) b JOIN analyzer_states s ON s.chain_gid = b.chain_gid
       WHERE b.hash = $3 AND b.status IN ('processed', 'confirmed') AND s.cursor_number >= $2)`,
    [chainGid, number, hash, addresses],
  );
  if (rows.length < addresses.length)
    throw new BlockNotFoundError(
      `block ${number} (${hash}) of ${chainGid} is not analysed, or not canonical`,
    );
  return new Map(rows.map((row) => [row.address, BigInt(row.amount_raw)]));
}
