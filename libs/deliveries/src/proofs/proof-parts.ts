// SPDX-License-Identifier: Apache-2.0
import type { TransactionRecord } from '@chainwatch/events';

/** A transaction that a block covers. */
export interface TransactionInBlock {
  readonly chainGid: string;
  readonly hash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** The longest proof that goes into an event, in bytes of its JSON. */
export const PROOF_BYTES_MAX = 16_384;

/** The transaction that an event is about, where it is in a block of the chain. */
export function findTransactionInBlock(payload: string): TransactionInBlock | undefined {
  const transaction = readTransaction(payload);
  if (transaction === undefined || transaction.status === 'pending' || transaction.status === 'reorged')
    return undefined;
  const { chain_gid: chainGid, hash, block_number: blockNumber, block_hash: blockHash } = transaction;
  return blockNumber === null || blockHash === null ? undefined : { chainGid, hash, blockNumber, blockHash };
}

function readTransaction(payload: string): TransactionRecord | undefined {
  try {
    return (JSON.parse(payload) as { data: { transaction?: TransactionRecord } }).data.transaction;
  } catch {
    // A row that was damaged goes out as it is.
    return undefined;
  }
}

/** `data.proof` as a link, in JSON. */
export function writeLink({ chainGid, hash }: TransactionInBlock, publicUrl = ''): string {
  return JSON.stringify({ type: 'link', url: `${publicUrl}/v1/transactions/${chainGid}/${hash}/proof` });
}

/** The bytes of an event with its proof. The same proof makes the same bytes. */
export function withProof(payload: string, proof: string): string {
  const event = JSON.parse(payload) as { readonly data: object };
  return JSON.stringify({ ...event, data: { ...event.data, proof: JSON.parse(proof) as unknown } });
}
