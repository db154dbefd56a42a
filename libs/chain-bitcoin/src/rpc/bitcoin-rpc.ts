// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc } from '@chainwatch/chain-core';
import { bitcoinBlockReaders } from './block-readers.ts';
import { createCacheRules } from './cache-rules.ts';
import { findKnownTransaction } from './find-known-transaction.ts';
import { BITCOIN_METHODS } from './methods.ts';
import { readHealth } from './read-health.ts';
import { bitcoinTransactions } from './transactions.ts';

/** Warm-up, initial download, not connected to anybody or shutting down. */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-28, -10, -9]);

export const bitcoinRpc: FamilyRpc = {
  methods: BITCOIN_METHODS,
  servesVersion1: true,
  // The content type in the examples of Bitcoin Core's own documentation.
  contentTypes: ['text/plain'],
  createCacheRules,
  blockReaders: bitcoinBlockReaders,
  judgeError: ({ code }) => (UNABLE_CODES.has(code) ? 'unable' : 'answer'),
  isBusyPage: (status, body) => status === 503 && body.includes('Work queue depth exceeded'),
  findKnownTransaction,
  transactions: bitcoinTransactions,
  readHealth,
  probe: 'getblockcount',
};
