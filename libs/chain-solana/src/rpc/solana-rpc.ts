// SPDX-License-Identifier: Apache-2.0
// cspell:ignore ubscribe
import type { FamilyRpc } from '@chainwatch/chain-core';
import { solanaBlockReaders } from './block-readers.ts';
import { createCacheRules } from './cache-rules.ts';
import { SOLANA_METHODS } from './methods.ts';
import { readHealth } from './read-health.ts';
import { solanaTransactions } from './transactions.ts';

/** Node unhealthy, minimum slot not reached, block not available, its status not available yet, cleaned up already. */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-32005, -32016, -32004, -32014, -32001]);

export const solanaRpc: FamilyRpc = {
  methods: SOLANA_METHODS,
  createCacheRules,
  blockReaders: solanaBlockReaders,
  judgeError: ({ code }) => (UNABLE_CODES.has(code) ? 'unable' : 'answer'),
  transactions: solanaTransactions,
  readHealth,
  probe: 'getVersion',
  subscriptions: {
    methods: /^[a-z]\w*(Uns|S)ubscribe$/,
    idType: 'number',
    // The words of agave.
    unknownError: [-32602, 'Invalid subscription id.'],
    // The node ends a signature's subscription when it has told the outcome
    // (https://solana.com/docs/rpc/websocket/signaturesubscribe).
    isLast: (method, result) => method === 'signatureSubscribe' && !result.includes('"receivedSignature"'),
  },
};
