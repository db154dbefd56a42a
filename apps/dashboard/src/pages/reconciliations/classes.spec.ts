// SPDX-License-Identifier: Apache-2.0
import type { Reconciliation } from '../../api/reconciliation-queries.ts';
import { CLASSES, countDifferences, sayPhase, titleOf } from './classes.ts';

const COUNTS: Reconciliation['counts'] = {
  matched: 1_000,
  missing_in_books: 1,
  missing_on_chain: 20,
  amount_differs: 300,
  duplicate: 4_000,
  unconfirmed: 50_000,
  invalid: 600_000,
};

it('has words for every class of the API, each once', () => {
  expect(CLASSES.map(({ name }) => name).sort()).toEqual(Object.keys(COUNTS).sort());
});

it('shows a class of a newer API as it is', () => {
  expect([titleOf('amount_differs'), titleOf('wrong_day')]).toEqual(['Amount differs', 'wrong day']);
});

it('counts all but what matches', () => {
  expect(countDifferences({ counts: COUNTS })).toBe(654_321);
});

it('says what is under way', () => {
  const say = (status: string, phase: string): string =>
    sayPhase({ status, row_count: 1_042, progress: { phase, rows_done: 40 } } as Reconciliation);
  expect([
    say('receiving', 'events'),
    say('matching', 'events'),
    say('matching', 'rows'),
    say('matching', 'books'),
  ]).toEqual([
    'Receiving the ledger: 1,042 rows so far',
    'Looking up events',
    'Matching rows: 40 of 1,042',
    'Looking for movements that no row names',
  ]);
});
