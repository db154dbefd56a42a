import type { AddressFilter, BalanceChange, Block, Transaction } from '@chainwatch/chain-core';

/** What in a block may concern somebody: the watch set holds only fingerprints, so the database decides. */
export interface BlockCandidates {
  readonly block: Block;
  readonly transactions: readonly Transaction[];
  readonly balanceChanges: readonly BalanceChange[];
}

const NONE: readonly never[] = [];

/**
 * The transactions and balance changes of a block with an address that `filter` has. Allocates nothing for a block
 * without one. A failed transaction concerns its sender and fee payer only; it moved nothing.
 */
export function findCandidates(block: Block, filter: AddressFilter): BlockCandidates | undefined {
  let transactions: Transaction[] | undefined;
  for (const transaction of block.possibleTransactions?.(filter) ?? block.transactions) {
    if (concerns(transaction, filter)) (transactions ??= []).push(transaction);
  }
  let balanceChanges: BalanceChange[] | undefined;
  for (const change of block.balanceChanges) {
    if (filter.has(change.address)) (balanceChanges ??= []).push(change);
  }
  if (transactions === undefined && balanceChanges === undefined) return undefined;
  return { block, transactions: transactions ?? NONE, balanceChanges: balanceChanges ?? NONE };
}

/** Adds every participating address that `filter` has to `found`. */
export function collectAddresses(
  candidates: BlockCandidates,
  filter: AddressFilter,
  found: Set<string>,
): void {
  const collect = (address: string | undefined): void => {
    if (address !== undefined && filter.has(address)) found.add(address);
  };
  for (const transaction of candidates.transactions) {
    collect(transaction.from);
    collect(transaction.fee?.payer);
    if (transaction.isFailed) continue;
    for (const transfer of transaction.transfers) {
      collect(transfer.from);
      collect(transfer.to);
    }
  }
  for (const change of candidates.balanceChanges) collect(change.address);
}

export function concerns(transaction: Transaction, filter: AddressFilter): boolean {
  const { from, fee } = transaction;
  if (from !== undefined && filter.has(from)) return true;
  if (fee?.payer !== undefined && fee.payer !== from && filter.has(fee.payer)) return true;
  if (transaction.isFailed) return false;
  for (const transfer of transaction.transfers) {
    if (transfer.from !== undefined && transfer.from !== from && filter.has(transfer.from)) return true;
    if (transfer.to !== undefined && filter.has(transfer.to)) return true;
  }
  return false;
}
