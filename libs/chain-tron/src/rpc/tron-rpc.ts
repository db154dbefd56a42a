// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc } from '@chainwatch/chain-core';
import {
  ETHEREUM_PROBE,
  ETHEREUM_FILTERS,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
} from '@chainwatch/ethereum-rpc';
import { tronBlockReaders } from './block-readers.ts';
import { createCacheRules } from './cache-rules.ts';
import { judgeText } from './judge-text.ts';
import { TRON_METHODS } from './methods.ts';
import { tronTransactions } from './transactions.ts';
import { walletPaths } from './wallet-paths.ts';

export const tronRpc: FamilyRpc = {
  methods: TRON_METHODS,
  createCacheRules,
  blockReaders: tronBlockReaders,
  judgeError: () => 'answer',
  judgeText,
  transactions: tronTransactions,
  readHealth: readEthereumHealth,
  probe: ETHEREUM_PROBE,
  filters: { ...ETHEREUM_FILTERS, unknownAnswer: () => UNKNOWN_FILTER },
  subscriptions: ethereumSubscriptions,
  paths: walletPaths,
};
