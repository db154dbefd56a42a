// SPDX-License-Identifier: Apache-2.0
/**
 * What every node of Ethereum's JSON-RPC shares, whatever its chain: which block a call names and an answer tells, how long
 * answers hold, health, filters and subscriptions. Pure. Used by the families of Ethereum and TRON.
 *
 * @example
 * const rules = createEthereumCacheRules(network);
 * rules.get('eth_getBalance')?.lifetimeOf({ params: ['0x…', '0x10'], finalNumber: 20, result }); // FOREVER
 */
export { createEthereumCacheRules } from './cache-rules.ts';
export {
  ETHEREUM_FILTERS,
  ETHEREUM_PROBE,
  ethereumBlockReaders,
  ethereumSubscriptions,
  ethereumTransactions,
  readEthereumHealth,
  UNKNOWN_FILTER,
} from './ethereum-rpc.ts';
