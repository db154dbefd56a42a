// SPDX-License-Identifier: Apache-2.0
import type { Network, Transaction, UnknownPart } from '@chainwatch/chain-core';
import { BaseError } from '@chainwatch/problem';
import { decodeTransaction } from './decode-block.ts';
import { hideInstructions } from './parse-transaction.ts';
import type { VerifiedTransaction } from './verify-block.ts';

export interface ToldTransaction {
  readonly transaction: Transaction;
  /** Absent: all of it was read. */
  readonly unknown?: UnknownPart;
}

/**
 * A decoded transaction. One whose instructions cannot be read, which its sender chose, is told by its balances: it alone waits
 * for another endpoint, and not its chain (docs/rules/unknown.md). The incident names the fault, which may be one of this code.
 * @throws what its balances are wrong by: then it is not what it claims to be
 */
export function decodeTold(network: Network, verified: VerifiedTransaction): ToldTransaction {
  try {
    return { transaction: decodeTransaction(network, verified) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof BaseError) throw error;
    const { tx } = verified;
    const transaction = decodeTransaction(network, {
      ...verified,
      tx: hideInstructions(tx),
      isUnproved: true,
    });
    const unknown = {
      kind: 'transaction-form:instruction',
      transactionHash: tx.signature,
      expected: 'instructions that can be read',
      got: `${error.name}: ${error.message}`,
    };
    return { transaction, unknown };
  }
}
