// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '@chainwatch/chain-core';

/** Each transaction after those among `transactions` whose outputs it spends, otherwise in the order given. */
export function sortByParents(transactions: readonly Transaction[]): Transaction[] {
  const byHash = new Map(transactions.map((transaction) => [transaction.hash, transaction]));
  const sorted = new Set<Transaction>();
  // An explicit stack: a chain of unconfirmed transactions may be as long as a mempool allows.
  for (const first of transactions) {
    const stack = [first];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parent = findParentToCome(top, byHash, sorted);
      if (parent !== undefined && !stack.includes(parent)) stack.push(parent);
      else sorted.add(stack.pop()!);
    }
  }
  return [...sorted];
}

function findParentToCome(
  { utxo }: Transaction,
  byHash: ReadonlyMap<string, Transaction>,
  sorted: ReadonlySet<Transaction>,
): Transaction | undefined {
  for (const { txid } of utxo?.inputs ?? []) {
    const parent = byHash.get(txid);
    if (parent !== undefined && !sorted.has(parent)) return parent;
  }
  return undefined;
}
