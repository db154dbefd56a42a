// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  type BalanceQuery,
  type BlockRef,
  type ChainClient,
  type Network,
} from '@chainwatch/chain-core';

interface SpecNode {
  readonly network: Network;
  /** Balances by block hash, then `address|asset`. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
  /** Hashes whose state the node does not have. */
  readonly missing: ReadonlySet<string>;
  /** Of the others it knows nothing. */
  readonly assets: readonly string[];
  /** Assets for which it does not answer in time. */
  readonly slow?: ReadonlySet<string>;
  /** Calls that fail before the next one works. */
  failures: number;
  calls: number;
}

/** A node that is asked for balances alone. */
export function createSpecClient(node: SpecNode): ChainClient {
  return {
    network: node.network,
    label: 'fake',
    readBalances: async (at: BlockRef, queries: readonly BalanceQuery[]) => {
      node.calls += 1;
      if (node.failures > 0) {
        node.failures -= 1;
        throw new ChainClientError('the node is away');
      }
      if (queries.some(({ assetGid }) => node.slow?.has(assetGid) === true))
        throw new ChainClientError('no answer within 10000 ms');
      const state = node.states.get(at.hash);
      if (state === undefined || node.missing.has(at.hash))
        throw new BlockNotFoundError(`no state of ${at.hash}`);
      return queries.map(({ address, assetGid }) =>
        node.assets.includes(assetGid) ? (state.get(`${address}|${assetGid}`) ?? 0n) : undefined,
      );
    },
    verifyChain: async () => undefined,
    readHead: () => Promise.reject(new Error('not asked for')),
    findFinalized: async () => undefined,
    findHeaderByNumber: async () => undefined,
    findHeaderByHash: async () => undefined,
    readHeaders: async () => [],
    readBlock: () => Promise.reject(new Error('not asked for')),
    close: () => undefined,
  };
}
