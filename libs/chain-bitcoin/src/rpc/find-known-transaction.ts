import { Transaction } from 'bitcoinjs-lib';

// The words of all versions of Bitcoin Core.
const KNOWN = /already ?known|already exists|already[ -]in|txn-already/i;

/** The id of a transaction is its hash without the witnesses (BIP-144). */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  if (method !== 'sendrawtransaction' || !KNOWN.test(error)) return undefined;
  try {
    return Transaction.fromBuffer(raw).getId();
  } catch {
    // Not a transaction, so the node's error is the answer.
    return undefined;
  }
}
