// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, NodeUpgrade } from './chain-family.ts';
import { findNewUpgradesAt } from './failover-answers.ts';

const found: NodeUpgrade[] = [{ name: 'fork 0x1', isActive: false }];
type Answer = readonly NodeUpgrade[] | undefined | Error;

const client = (answer: Answer, verified?: Error): ChainClient =>
  ({
    verifyChain: async () => {
      if (verified !== undefined) throw verified;
    },
    findNewUpgrades: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  }) as unknown as ChainClient;
const unable = { verifyChain: async () => undefined } as unknown as ChainClient;

it.each<[string, ChainClient[], Answer]>([
  ['is that of the first endpoint that can tell', [unable, client(undefined), client(found)], found],
  [
    'passes over one that fails, or is of another chain',
    [client(new Error('away')), client([], new Error('other chain')), client(found)],
    found,
  ],
  ['is unknown where nobody can tell', [unable, client(undefined), client(new Error('away'))], undefined],
])('the word on upgrades %s', async (_, clients, expected) => {
  expect(await findNewUpgradesAt(clients, [])).toBe(expected);
});

it('ends with its signal', async () => {
  await expect(findNewUpgradesAt([client(new Error('aborted'))], [], AbortSignal.abort())).rejects.toThrow(
    'aborted',
  );
});
