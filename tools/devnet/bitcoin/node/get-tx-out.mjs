// SPDX-License-Identifier: Apache-2.0
/** bcoin tells a coin that a transaction of the mempool spends; Bitcoin Core tells null, unless the mempool is left out. */
export function answerGetTxOut({ rpc, mempool }) {
  const getTxOut = rpc.getTXOut.bind(rpc);
  rpc.calls.gettxout = async (args, help) => {
    const [txid, index, includesMempool = true] = args;
    if (includesMempool && typeof txid === 'string' && mempool.isSpent(toHash(txid), index)) return null;
    return getTxOut(args, help);
  };
}

/** As the node holds it: the bytes in the other order. */
function toHash(txid) {
  return Buffer.from(txid, 'hex').reverse().toString('hex');
}
