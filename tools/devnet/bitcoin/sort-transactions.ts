// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';

/** Parents before children; otherwise as they come. */
export function sortTransactions(transactions: readonly Transaction[]): Transaction[] {
  const waiting = new Map(transactions.map((transaction) => [transaction.getId(), transaction]));
  const sorted: Transaction[] = [];
  const visit = (txid: string): void => {
    const transaction = waiting.get(txid);
    if (!transaction) return;
    waiting.delete(txid);
    for (const { hash } of transaction.ins) visit(Buffer.from(hash).reverse().toString('hex'));
    sorted.push(transaction);
  };
  for (const txid of [...waiting.keys()]) visit(txid);
  return sorted;
}
