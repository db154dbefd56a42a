import type { BlockReader, FamilyRpc } from '@chainwatch/chain-core';
import { createCacheRules } from './cache-rules.ts';
import { findKnownTransaction } from './find-known-transaction.ts';
import { BITCOIN_METHODS } from './methods.ts';
import { readHealth } from './read-health.ts';
import { bitcoinTransactions } from './transactions.ts';

/** Warm-up, initial download, not connected to anybody or shutting down. */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-28, -10, -9]);
const RESULT = /"result"\s*:\s*(\d{1,12})\b/;

export const bitcoinRpc: FamilyRpc = {
  methods: BITCOIN_METHODS,
  servesVersion1: true,
  // The content type in the examples of Bitcoin Core's own documentation.
  contentTypes: ['text/plain'],
  createCacheRules,
  blockReaders: new Map<string, BlockReader>([['getblockcount', { tells: 'head', read: readCount }]]),
  judgeError: ({ code }) => (UNABLE_CODES.has(code) ? 'unable' : 'answer'),
  isBusyPage: (status, body) => status === 503 && body.includes('Work queue depth exceeded'),
  findKnownTransaction,
  transactions: bitcoinTransactions,
  readHealth,
  probe: 'getblockcount',
};

function readCount(body: Buffer): number | undefined {
  const found = RESULT.exec(body.toString('latin1', 0, body.length));
  return found === null ? undefined : Number(found[1]);
}
