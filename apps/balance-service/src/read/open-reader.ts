// SPDX-License-Identifier: Apache-2.0
import { splitChainGid } from '@chainwatch/caip';
import {
  createChainOpener,
  findNetworkOf,
  type ActiveChain,
  type ChainOpenerOptions,
} from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import type { BalanceReader } from './balance-reader.ts';
import { createUtxoReader } from './create-utxo-reader.ts';

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
