// SPDX-License-Identifier: Apache-2.0
import type { RpcTransactions } from '@chainwatch/chain-core';
import { findSignature } from './find-signature.ts';

/** Escapes may spell the commitment in another way. */
const PROCESSED = /"processed"|\\/;
const BY_SIGNATURE = /^(getTransaction|getSignatureStatuses|getConfirmedTransaction|getSignatureStatus)$/;
/** Nodes keep no pending transactions that can be asked for: one is known as soon as a block has it. */
const LANDS_MS = 3_000;

export const solanaTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (BY_SIGNATURE.test(method)) return 'transaction';
    return method === 'simulateTransaction' || PROCESSED.test(params) ? 'pending' : undefined;
  },
  isUnknown: (reply) => /"result"\s*:\s*null\b|"value"\s*:\s*\[[^\]{}]*\bnull\b/.test(reply),
  broadcasts: /^sendTransaction$/,
  lookUp: {
    hashOf: findSignature,
    questionsOf: (signature) => [['getSignatureStatuses', [[signature]]]],
    isKnown: (answer) => Boolean((answer as { readonly value?: readonly unknown[] } | null)?.value?.[0]),
    settlesMs: LANDS_MS,
  },
};
