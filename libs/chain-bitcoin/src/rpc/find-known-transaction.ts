import { Transaction } from 'bitcoinjs-lib';

// Bitcoin Core of every age.
const KNOWN = /already ?known|already exists|already[ -]in|txn-already/i;

/** The id of a transaction is its hash without the witnesses (BIP-144). */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  if (method !== 'sendrawtransaction' || !KNOWN.test(error)) return undefined;
  try {
    return Transaction.fromBuffer(raw).getId();
  } catch {
    // No transaction: what the node says of it is the answer.
    return undefined;
  }
}
