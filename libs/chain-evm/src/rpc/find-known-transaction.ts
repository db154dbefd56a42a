// SPDX-License-Identifier: Apache-2.0
import { keccak256Hex } from '../encode-rlp.ts';

// The words of geth and erigon, nethermind, besu, openethereum.
const KNOWN = /already ?known|known transaction|already imported|already exists|already[ -]in/i;
const BLOB_TRANSACTION = 3;

/** The hash of a raw transaction is that of its bytes; for a blob transaction it does not cover the blobs sent with it. */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  if (method !== 'eth_sendRawTransaction' || raw[0] === BLOB_TRANSACTION || !KNOWN.test(error))
    return undefined;
  return `0x${keccak256Hex(raw)}`;
}
