// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '@chainwatch/chain-core';

/** The transactions of a block, each one behind those of the block that it spends from. */
export function orderByParents(transactions: readonly Transaction[]): readonly Transaction[] {
  const known = new Set(transactions.map(({ hash }) => hash));
  const children = new Map<string, Transaction[]>();
  const open = new Map<Transaction, number>();
  for (const transaction of transactions) {
    const inputs = transaction.utxo?.inputs ?? [];
    // Thousands of inputs may spend from one parent.
    const parents = new Set(inputs.flatMap(({ txid }) => (known.has(txid) ? [txid] : [])));
    open.set(transaction, parents.size);
    for (const txid of parents) {
      const listed = children.get(txid);
      if (listed === undefined) children.set(txid, [transaction]);
      else listed.push(transaction);
    }
  }
  const ordered = transactions.filter((transaction) => open.get(transaction) === 0);
  // The list grows while it is gone through.
  for (const { hash } of ordered) {
    for (const child of children.get(hash) ?? []) {
      const left = open.get(child)! - 1;
      open.set(child, left);
      if (left === 0) ordered.push(child);
    }
  }
  // Ids that are hashes make no circle; a node can make one up in a block of which it alone tells the fields.
  return ordered.length === transactions.length
    ? ordered
    : [...ordered, ...transactions.filter((transaction) => open.get(transaction)! > 0)];
}
