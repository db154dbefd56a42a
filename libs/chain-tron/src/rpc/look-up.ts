// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { PathLookUp } from '@chainwatch/chain-core';
import { bytesOf, readFields } from '../protobuf.ts';

interface SentBody {
  /** Of `broadcasttransaction`: the signed part. */
  readonly raw_data_hex?: unknown;
  /** Of `broadcasthex`: the whole transaction. */
  readonly transaction?: unknown;
}

/** Transactions over the wallet API; their id is the hash of the signed part. */
export const walletLookUp: PathLookUp = {
  hashOf: (method, body) => {
    try {
      const signed = findSigned(method, JSON.parse(body) as SentBody);
      return signed && createHash('sha256').update(signed).digest('hex');
    } catch {
      // No transaction, so the node's refusal is the answer.
      return undefined;
    }
  },
  // In a block; waiting for one, of which older nodes do not tell.
  questionsOf: (hash) => [
    ['/wallet/gettransactionbyid', { value: hash }],
    ['/wallet/gettransactionfrompending', { value: hash }],
  ],
  isKnown: (answer, hash) => (answer as { readonly txID?: unknown }).txID === hash,
  answerOf: (hash) => ({ result: true, txid: hash }),
};

function findSigned(method: string, { raw_data_hex: raw, transaction }: SentBody): Buffer | undefined {
  if (method === 'wallet/broadcasttransaction') return typeof raw === 'string' ? toBytes(raw) : undefined;
  if (method !== 'wallet/broadcasthex' || typeof transaction !== 'string') return undefined;
  return bytesOf(readFields(toBytes(transaction)), 1);
}

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/i, ''), 'hex');
}
