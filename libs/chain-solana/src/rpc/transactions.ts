import type { RpcTransactions } from '@chainwatch/chain-core';

/** Escapes may spell the commitment in another way. */
const PROCESSED = /"processed"|\\/;
const BY_SIGNATURE = /^(getTransaction|getSignatureStatuses|getConfirmedTransaction|getSignatureStatus)$/;

export const solanaTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (BY_SIGNATURE.test(method)) return 'transaction';
    return method === 'simulateTransaction' || PROCESSED.test(params) ? 'pending' : undefined;
  },
  isUnknown: (reply) => /"result"\s*:\s*null\b|"value"\s*:\s*\[[^\]{}]*\bnull\b/.test(reply),
  broadcasts: /^sendTransaction$/,
};
