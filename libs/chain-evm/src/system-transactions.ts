// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { typeOf } from './encode-transaction.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';

/** A transaction that the chain itself makes outside of what its header covers, and what came of it. */
export interface SystemTransaction {
  readonly tx: RawTransaction;
  readonly receipt: RawReceipt;
}

interface Content {
  readonly transactions: readonly RawTransaction[];
  readonly receipts: readonly RawReceipt[];
}

export interface SplitContent extends Content {
  readonly system: readonly SystemTransaction[];
}

/** The account that pays HYPE out of HyperCore, and the accounts that pay its other tokens: 0x20, then the token's index. */
const SYSTEM_ADDRESS = /^0x(?:2{40}|20{23}[0-9a-f]{16})$/;

/**
 * Parts what no root of HyperEVM covers from what the roots cover. Blocks of its nodes come in two views. In one, the payments
 * from HyperCore stand before the other transactions, priced 0 and signed by nobody; in the other they are left out. Header
 * and roots are those of the second view.
 * @throws IncompleteBlockError where the receipts are of the other view
 */
export function splitSystem(block: RawBlock, receipts: readonly RawReceipt[]): SplitContent {
  const { transactions } = block;
  const first = transactions.findIndex((tx) => !isSystem(tx));
  const count = first < 0 ? transactions.length : first;
  if (count === 0) return { transactions, receipts, system: [] };
  if (new Set(transactions.map(({ hash }) => hash)).size < transactions.length)
    throw new IncompleteBlockError(
      `transactions of block ${Number(block.number)} ${block.hash}: expected each hash once`,
    );
  const system = transactions.slice(0, count).map((tx, index) => {
    const receipt = receipts[index];
    if (receipt?.transactionHash !== tx.hash || receipt.blockHash !== block.hash)
      throw new IncompleteBlockError(
        `receipt ${index} of block ${Number(block.number)} ${block.hash}: expected that of the system transaction ${tx.hash}, got ${receipt?.transactionHash ?? 'none'}`,
      );
    return { tx, receipt };
  });
  return { transactions: transactions.slice(count), receipts: receipts.slice(count), system };
}

function isSystem(tx: RawTransaction): boolean {
  return (
    typeOf(tx) === 0 &&
    typeof tx.gasPrice === 'string' &&
    BigInt(tx.gasPrice) === 0n &&
    SYSTEM_ADDRESS.test(tx.from.toLowerCase())
  );
}
