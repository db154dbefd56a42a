import { Transaction } from 'bitcoinjs-lib';
import { findRawHex, type RpcTransactions } from '@chainwatch/chain-core';

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
      if (raw === undefined) return undefined;
      try {
        // The id of a transaction is its hash without the witnesses (BIP-144).
        return Transaction.fromHex(raw).getId();
      } catch {
        // Not a transaction.
        return undefined;
      }
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
