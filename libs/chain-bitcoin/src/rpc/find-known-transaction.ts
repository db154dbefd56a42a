// SPDX-License-Identifier: Apache-2.0
import { findTransactionId } from './find-transaction-id.ts';

// The words of all versions of Bitcoin Core.
const KNOWN = /already ?known|already exists|already[ -]in|txn-already/i;

/** Undefined also where the bytes are no transaction, so that the node's error is the answer. */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  return method === 'sendrawtransaction' && KNOWN.test(error) ? findTransactionId(raw) : undefined;
}
