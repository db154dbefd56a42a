// SPDX-License-Identifier: Apache-2.0
import { keptAtMost, type CacheRule, type Pace } from '@chainwatch/chain-core';
import { createEthereumCacheRules } from '@chainwatch/ethereum-rpc';

const aSecond = keptAtMost(1_000);

/** java-tron answers state calls at its latest block, whatever block they name, so no answer is historical. */
const stateAt = (index: number): CacheRule => ({
  ...aSecond,
  lifetimeOf: (question) => {
    const block = question.params[index];
    return typeof block === 'object' && block !== null ? undefined : aSecond.lifetimeOf(question);
  },
});

/** Methods that java-tron answers as Ethereum's nodes do. */
const AS_ETHEREUM: readonly string[] = [
  'eth_chainId',
  'net_version',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionReceipt',
  'eth_getLogs',
];

export function createCacheRules(pace: Pace): ReadonlyMap<string, CacheRule> {
  const ethereum = createEthereumCacheRules(pace);
  return new Map([
    ...AS_ETHEREUM.map((method) => [method, ethereum.get(method)!] as const),
    ['eth_blockNumber', aSecond],
    ['eth_call', stateAt(1)],
    ['eth_getBalance', stateAt(1)],
    ['eth_getCode', stateAt(1)],
    ['eth_getStorageAt', stateAt(2)],
  ]);
}
