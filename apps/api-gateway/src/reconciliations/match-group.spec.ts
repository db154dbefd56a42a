// SPDX-License-Identifier: Apache-2.0
import { matchGroup, type BookedRow } from './match-group.ts';
import type { Movement } from './read-movements.ts';

const move = (side: Movement['side'], amount: bigint, place = 0): Movement => ({
  ...{ place, address: 'a', assetGid: 'x', side, amount },
});
const row = (direction: BookedRow['direction'], amount: bigint, line = 1): BookedRow => ({
  ...{ id: `${line}`, line, direction, amount },
});
const outcome = (rows: readonly BookedRow[], movements: readonly Movement[]) => {
  const { matches, unclaimed } = matchGroup(rows, movements);
  return {
    matches: matches.map(({ isEqual, moved }) => [isEqual, moved]),
    unclaimed: unclaimed.map(({ side, amount }) => [side, amount]),
  };
};

// Anybody can add a transfer from an address to itself to a transaction: most tokens allow one of 0.
it.each([
  ['turns no payment around', [row('out', 5n)], [move('in', 5n), move('self', 0n)], [[false, undefined]]],
  ['adds nothing to a payment', [row('in', 6n)], [move('in', 5n), move('self', 1n)], [[false, 5n]]],
  [
    'leaves signs as they are',
    [row('in', 8n)],
    [move('in', 5n), move('out', 3n), move('self', 0n)],
    [[false, 2n]],
  ],
  ['leaves a payment matched', [row('in', 5n)], [move('in', 5n), move('self', 0n)], [[true, 5n]]],
  [
    'is matched beside one',
    [row('in', 5n), row('out', 7n, 2)],
    [move('in', 5n), move('self', 7n)],
    [
      [true, 5n],
      [true, 7n],
    ],
  ],
  ['alone is in any direction', [row('out', 7n)], [move('self', 7n)], [[true, 7n]]],
  ['alone is matched without a direction', [row(null, 7n)], [move('self', 7n)], [[true, 7n]]],
] as const)('a transfer of an address to itself %s', (_, rows, movements, matches) => {
  expect(outcome(rows, movements).matches).toEqual(matches);
});
