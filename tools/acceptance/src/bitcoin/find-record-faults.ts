// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';
import type { TransactionRecord } from '../transaction-record.ts';
import { outpointOf } from './chain-view.ts';

/** Who is said to have replaced a transaction must spend what it, or an ancestor of it, spends. */
export function findRecordFaults(
  created: ReadonlyMap<string, Transaction>,
  actual: ReadonlyMap<string, TransactionRecord>,
): string[] {
  const faults: string[] = [];
  for (const { hash, status, replaced_by: replacedBy } of actual.values()) {
    if (replacedBy === null) continue;
    if (status !== 'failed') faults.push(`${hash}: ${status}, and is said to be replaced by ${replacedBy}`);
    const rival = created.get(replacedBy);
    if (!rival) faults.push(`${hash}: replaced by ${replacedBy}, which nobody made`);
    else if (!conflicts(created, { hash, spent: new Set(rival.ins.map(outpointOf)), rival: replacedBy }))
      faults.push(`${hash}: replaced by ${replacedBy}, which spends nothing of what it needs`);
  }
  return faults;
}

function conflicts(
  created: ReadonlyMap<string, Transaction>,
  {
    hash,
    spent,
    rival,
  }: { readonly hash: string; readonly spent: ReadonlySet<string>; readonly rival: string },
): boolean {
  if (hash === rival) return false;
  const transaction = created.get(hash);
  if (!transaction) return false;
  const outpoints = transaction.ins.map(outpointOf);
  return (
    outpoints.some((outpoint) => spent.has(outpoint)) ||
    outpoints.some((outpoint) => conflicts(created, { hash: outpoint.split(':')[0]!, spent, rival }))
  );
}
