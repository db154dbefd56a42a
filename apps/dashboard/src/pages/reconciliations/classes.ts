// SPDX-License-Identifier: Apache-2.0
import type { Reconciliation, RowClass } from '../../api/reconciliation-queries.ts';

/** Each class in words; differences first, since these are what is looked for. */
export const CLASSES: readonly { readonly name: RowClass; readonly title: string; readonly hint: string }[] =
  [
    {
      name: 'missing_in_books',
      title: 'Missing in the books',
      hint: 'Movements on chain that no row names',
    },
    {
      name: 'missing_on_chain',
      title: 'Missing on chain',
      hint: 'Rows whose movement this project does not have',
    },
    { name: 'amount_differs', title: 'Amount differs', hint: 'Ledger and chain have different amounts' },
    { name: 'duplicate', title: 'Duplicate', hint: 'An earlier row names the same movement' },
    { name: 'unconfirmed', title: 'Unconfirmed', hint: 'The transaction is not confirmed' },
    { name: 'invalid', title: 'Invalid', hint: 'The row could not be read' },
    { name: 'matched', title: 'Matched', hint: 'The row equals a confirmed movement' },
  ];

/** `amount_differs` → `Amount differs`; a class of a newer API as it is. */
export function titleOf(name: string): string {
  return CLASSES.find((one) => one.name === name)?.title ?? name.replaceAll('_', ' ');
}

/** All that is not matched. */
export function countDifferences({ counts }: Pick<Reconciliation, 'counts'>): number {
  return Object.entries(counts).reduce((sum, [name, count]) => (name === 'matched' ? sum : sum + count), 0);
}

/** What is under way, in words. */
export function sayPhase({ status, progress, row_count }: Reconciliation): string {
  if (status === 'receiving') return `Receiving the ledger: ${row_count.toLocaleString('en')} rows so far`;
  if (progress.phase === 'events') return 'Looking up events';
  if (progress.phase === 'books') return 'Looking for movements that no row names';
  return `Matching rows: ${progress.rows_done.toLocaleString('en')} of ${row_count.toLocaleString('en')}`;
}
