import type { Transaction } from '@chainwatch/chain-core';

/** The transactions of a block, each one behind those of the block that it spends from. */
export function orderByParents(transactions: readonly Transaction[]): readonly Transaction[] {
  const known = new Set(transactions.map(({ hash }) => hash));
  const children = new Map<string, Transaction[]>();
  const open = new Map<Transaction, number>();
  for (const transaction of transactions) {
    const parents = (transaction.utxo?.inputs ?? []).filter(({ txid }) => known.has(txid));
    open.set(transaction, parents.length);
    for (const { txid } of parents) children.set(txid, [...(children.get(txid) ?? []), transaction]);
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
