// SPDX-License-Identifier: Apache-2.0
import type { Transaction, UnknownPart } from '@chainwatch/chain-core';
import { decodeUnknown, type TransactionParts } from './decode-transaction.ts';
import { InvalidHexError } from './encode-rlp.ts';
import { typeOf } from './encode-transaction.ts';
import { keepReadable } from './parse-raw-block.ts';

/** A transaction of which not everything can be read. */
export interface UnreadableTransaction {
  readonly transaction: Transaction;
  readonly part: UnknownPart;
}

/** Whether a value of an answer has a form that code of ours cannot handle; a contradiction is none of these. */
export function isUnreadable(error: unknown): error is Error {
  return (
    error instanceof InvalidHexError ||
    error instanceof SyntaxError ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}

/**
 * A transaction that its block's root proves and that the node wrote in a way that cannot be read (`v: "0x"`): told as far
 * as it is understood, so that it alone waits for another endpoint and not its chain (docs/rules/unknown.md).
 *
 * @param hash that the root proves
 */
export function decodeUnreadable(parts: TransactionParts, hash: string, error: Error): UnreadableTransaction {
  const { tx, receipt, index } = parts;
  const part = {
    kind: `transaction-form:0x${typeOf(tx).toString(16)}`,
    transactionHash: hash,
    expected: 'a transaction that can be read',
    got: error.message,
  };
  keepReadable(tx, receipt);
  try {
    return { transaction: { ...decodeUnknown(parts), hash }, part };
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    const isFailed = receipt.status === '0x0';
    return { transaction: { hash, index, isFailed, transfers: [], verification: 'unproved' }, part };
  }
}
