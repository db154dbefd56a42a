import { Transaction } from 'bitcoinjs-lib';

/** The id of a raw transaction: its hash without the witnesses (BIP-144). Undefined for what is none. */
export function bitcoinTxid(raw: Buffer): string | undefined {
  try {
    return Transaction.fromBuffer(raw).getId();
  } catch {
    return undefined;
  }
}
