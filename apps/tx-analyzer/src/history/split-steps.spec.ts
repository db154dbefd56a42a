// SPDX-License-Identifier: Apache-2.0
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { splitSteps } from './run-histories.ts';

const matches = (counts: readonly number[]): MatchedTransaction[] =>
  counts.map((count) => ({ transfers: Array.from({ length: count }) }) as unknown as MatchedTransaction);

it.each<[string, number[], number[][]]>([
  ['nothing is one step, for the progress', [], [[]]],
  ['500 transfers are one step', [200, 300], [[200, 300]]],
  ['one more is another step', [200, 300, 1], [[200, 300], [1]]],
  ['a transaction stays whole', [499, 2, 498, 1], [[499], [2, 498], [1]]],
  ['also one that is larger than a step', [1, 501, 1], [[1], [501], [1]]],
  ['one without transfers counts as a row', [499, 0, 0], [[499, 0], [0]]],
])('%s', (_what, counts, expected) => {
  const given = matches(counts);
  const steps = splitSteps(given);
  expect(steps.map((step) => step.map(({ transfers }) => transfers.length))).toEqual(expected);
  expect(steps.flat()).toEqual(given);
});
