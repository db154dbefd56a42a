// SPDX-License-Identifier: Apache-2.0
import { findRawHex, type RpcTransactions } from '@chainwatch/chain-core';
import { findTransactionId } from './find-transaction-id.ts';

const SENDS = 'sendrawtransaction';
/** What the node holds in its mempool, or would do with it. */
const PENDING = /mempool|^(gettxout|gettxspendingprevout|getorphantxs|getblocktemplate|utxoupdatepsbt)$/;

export const bitcoinTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (method === 'getrawtransaction') return namesBlock(params) ? undefined : 'transaction';
    if (method === 'getmempoolentry') return 'transaction';
    return PENDING.test(method) ? 'pending' : undefined;
  },
  isUnknown: (reply) => /"code"\s*:\s*-5\b/.test(reply),
  broadcasts: /^(sendrawtransaction|submitpackage)$/,
  lookUp: {
    hashOf: (method, params) => {
      const raw = method === SENDS ? findRawHex(params) : undefined;
      return raw === undefined ? undefined : findTransactionId(Buffer.from(raw, 'hex'));
    },
    // The mempool; the index of transactions, where there is one; an output that nobody spent yet.
    questionsOf: (hash) => [
      ['getmempoolentry', [hash]],
      ['getrawtransaction', [hash]],
      ['gettxout', [hash, 0]],
    ],
  },
};

/** A second hash, or the parameter by its name. */
function namesBlock(params: string): boolean {
  return (params.match(/"[0-9a-fA-F]{64}"/g)?.length ?? 0) > 1 || params.includes('"blockhash"');
}
