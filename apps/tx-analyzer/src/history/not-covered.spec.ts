// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { addBlocks, findNotCovered } from './not-covered.ts';

const range = (from: number, to = from) => ({ from_block: from, to_block: to });

it.each([
  ['nothing', [], [], []],
  ['one block', [], [5], [range(5)]],
  ['neighbors', [range(3, 4)], [5, 6], [range(3, 6)]],
  ['what is in it already', [range(3, 9)], [3, 5, 9], [range(3, 9)]],
  ['a block between two', [range(3), range(5)], [4], [range(3, 5)]],
  ['blocks before, after, and out of order', [range(7)], [12, 2], [range(2), range(7), range(12)]],
  ['more than fit: the smallest gap goes', [range(1), range(9)], [5, 20], [range(1, 9), range(20)], 2],
])('adds %s', (_what, ranges, numbers, expected, max = 3) => {
  expect(addBlocks(ranges, numbers, max)).toEqual(expected);
});

it('names the blocks for the address itself, and for accounts that it has or was found to have', () => {
  const block = (number: number, ...partialFor: string[]) =>
    ({
      number,
      transactions: [{}, { partialFor: partialFor.length === 0 ? undefined : partialFor }],
    }) as unknown as Block;
  const job = { address: 'alice', accounts: ['old'], projectId: 'p', fromBlock: 1, revision: 1 };
  const jobs = [
    { ...job, addressId: '1', toBlock: 5 },
    { ...job, addressId: '2', address: 'bob', accounts: [], toBlock: 9 },
  ];
  const blocks = [
    block(1),
    block(2, 'x', 'alice'),
    block(3, 'old'),
    block(4, 'new'),
    block(5, 'x'),
    block(6, 'alice', 'bob'),
  ];
  const found = findNotCovered(jobs, blocks, new Map([['alice', ['new']]]));
  expect(found).toEqual(
    new Map([
      ['1', [2, 3, 4]],
      ['2', [6]],
    ]),
  );
  expect(findNotCovered(jobs, [block(1)], new Map()).size).toBe(0);
});
