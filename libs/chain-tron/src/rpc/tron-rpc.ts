import type { FamilyRpc } from '@chainwatch/chain-core';
import {
  ETHEREUM_PROBE,
  ethereumBlockReaders,
  ethereumFilters,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
} from '@chainwatch/ethereum-rpc';
import { createCacheRules } from './cache-rules.ts';
import { judgeText } from './judge-text.ts';
import { tronMethods } from './methods.ts';
import { walletPaths } from './wallet-paths.ts';

export const tronRpc: FamilyRpc = {
  methods: tronMethods,
  splitsBatches: true,
  createCacheRules,
  blockReaders: ethereumBlockReaders,
  judgeError: () => 'answer',
  judgeText,
  readHealth: readEthereumHealth,
  probe: ETHEREUM_PROBE,
  filters: { ...ethereumFilters, unknownAnswer: () => UNKNOWN_FILTER },
  subscriptions: ethereumSubscriptions,
  paths: walletPaths,
};
