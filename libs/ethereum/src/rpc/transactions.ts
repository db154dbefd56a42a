// SPDX-License-Identifier: Apache-2.0
import type { RpcTransactions, TransactionView } from '@chainwatch/chain-core';

/** Escapes may spell the tag in another way. */
const PENDING_TAG = /"pending"|\\/;
/** The mempool, and simulations, whose outcome depends on what the sender has pending. */
const PENDING =
  /^(txpool_\w+|eth_(pendingTransactions|estimateGas|createAccessList|fillTransaction|simulateV1|callMany)|parity_(pending|all|future|nextNonce)\w*)$/;
const BY_HASH =
  /^(eth_get(Raw)?Transaction(ByHash|Receipt|BySenderAndNonce)|debug_(getRawTransaction|traceTransaction)|trace_(transaction|replayTransaction)|ots_\w*[tT]ransaction\w*|erigon_getBlockReceiptsByTx\w*)$/;

export const ethereumTransactions: Pick<RpcTransactions, 'viewOf' | 'isUnknown'> = {
  viewOf: (method, params): TransactionView | undefined => {
    if (PENDING.test(method) || PENDING_TAG.test(params)) return 'pending';
    return BY_HASH.test(method) ? 'transaction' : undefined;
  },
  isUnknown: (reply) => /"result"\s*:\s*null\b/.test(reply),
};
