// SPDX-License-Identifier: Apache-2.0
import { RPCError, TX } from './bcoin.mjs';

const DESERIALIZATION_ERROR = -22;
const VERIFY_ERROR = -25;
const VERIFY_REJECTED = -26;
const VERIFY_ALREADY_IN_CHAIN = -27;

/** Bitcoin Core's answers: bcoin 1.0.2 says yes to everything and looks at it later. */
export function answerSendRawTransaction({ rpc, mempool }) {
  rpc.calls.sendrawtransaction = async ([hex]) => {
    const tx = parse(hex);
    if (mempool.hasEntry(tx.hash('hex'))) return tx.txid();
    const missing = await mempool.addTX(tx).catch((error) => {
      if (error.type !== 'VerifyError') throw error;
      if (error.reason === 'txn-already-known')
        throw new RPCError(VERIFY_ALREADY_IN_CHAIN, 'Transaction outputs already in utxo set');
      throw new RPCError(VERIFY_REJECTED, error.reason);
    });
    if (!missing) return tx.txid();
    // Core keeps no orphans that come by RPC.
    mempool.removeOrphan(tx.hash('hex'));
    throw new RPCError(VERIFY_ERROR, 'bad-txns-inputs-missingorspent');
  };
}

function parse(hex) {
  try {
    return TX.fromRaw(Buffer.from(hex, 'hex'));
  } catch {
    throw new RPCError(DESERIALIZATION_ERROR, 'TX decode failed. Make sure the tx has at least one input.');
  }
}
