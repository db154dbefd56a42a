// SPDX-License-Identifier: Apache-2.0
import type { BlocksOfAddresses } from './chain-family.ts';
import { joinLists } from './failover-answers.ts';

const list = (numbers: readonly number[], toBlock: number, branch = ''): BlocksOfAddresses => ({
  refs: numbers.map((number) => ({ number, hash: `${number}${branch}` })),
  toBlock,
  accounts: new Map([['alice', numbers.map((number) => `account ${number}`)]]),
  isListed: true,
});

it('joins what any list names, as far as all of them reach', () => {
  const joined = joinLists([list([3, 9], 10), list([5, 9, 12], 12), list([4], 9)]);
  expect(joined.refs.map(({ number }) => number)).toEqual([3, 4, 5, 9]);
  expect(joined.toBlock).toBe(9);
  expect(joined.accounts!.get('alice')).toEqual([3, 9, 5, 12, 4].map((number) => `account ${number}`));
});

it('refuses lists of two branches', () => {
  expect(() => joinLists([list([3], 10), list([3], 10, 'other')])).toThrow(/expected 3 at 3/);
});
