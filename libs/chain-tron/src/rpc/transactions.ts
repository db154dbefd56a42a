// SPDX-License-Identifier: Apache-2.0
// cspell:ignore infoby receiptby
import type { RpcTransactions } from '@chainwatch/chain-core';
import { ethereumTransactions } from '@chainwatch/ethereum-rpc';

const PENDING =
  /^wallet\/(gettransaction(list)?frompending|getpendingsize|triggerconstantcontract|estimateenergy)$/;
const BY_HASH = /^wallet(solidity)?\/gettransaction(by|infoby|receiptby)id$/;

export const tronTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (PENDING.test(method))
      return method.endsWith('frompending') && !method.includes('list') ? 'transaction' : 'pending';
    return BY_HASH.test(method) ? 'transaction' : ethereumTransactions.viewOf(method, params);
  },
  // The wallet's API answers with an empty object.
  isUnknown: (reply) => /^\s*\{\s*\}\s*$/.test(reply) || ethereumTransactions.isUnknown(reply),
  broadcasts: /^(eth_sendRawTransaction|wallet\/broadcast(transaction|hex))$/,
};
