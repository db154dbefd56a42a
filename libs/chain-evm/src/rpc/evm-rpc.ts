// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc } from '@chainwatch/chain-core';
import {
  createEthereumCacheRules,
  ETHEREUM_PROBE,
  ethereumBlockReaders,
  ETHEREUM_FILTERS,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
} from '@chainwatch/ethereum-rpc';
import { findKnownTransaction } from './find-known-transaction.ts';
import { judgeError } from './judge-error.ts';
import { EVM_METHODS } from './methods.ts';
import { evmTransactions } from './transactions.ts';

const UPPER_HEX = /"0x[0-9a-f]*[A-F]/;

export const evmRpc: FamilyRpc = {
  methods: EVM_METHODS,
  // Hexadecimal text is the same in either case.
  normalizeParams: (params) =>
    UPPER_HEX.test(params) ? params.replace(/"0x[0-9a-fA-F]*"/g, (text) => text.toLowerCase()) : params,
  createCacheRules: createEthereumCacheRules,
  blockReaders: ethereumBlockReaders,
  judgeError,
  findKnownTransaction,
  transactions: evmTransactions,
  readHealth: readEthereumHealth,
  probe: ETHEREUM_PROBE,
  filters: {
    ...ETHEREUM_FILTERS,
    unknownAnswer: (method) => (method === ETHEREUM_FILTERS.ends ? '"result":false' : UNKNOWN_FILTER),
  },
  subscriptions: ethereumSubscriptions,
};
