// SPDX-License-Identifier: Apache-2.0
import type { NodeUpgrade } from '@chainwatch/chain-core';
import { createChainReport } from './chain-report.ts';
import { watchUpgrades } from './run-chain.ts';

const fork: NodeUpgrade = { name: 'fork 0x1', isActive: false, at: '2027-01-01T00:00:00.000Z' };
type Answer = readonly NodeUpgrade[] | undefined | Error;

/** Asks as often as there are answers. */
async function watch(...answers: Answer[]) {
  const report = createChainReport('eip155:1');
  const warned: unknown[] = [];
  const ended = new AbortController();
  await watchUpgrades({
    client: {
      findNewUpgrades: async () => {
        const answer = answers.shift();
        if (answers.length === 0) ended.abort();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    upgrades: [],
    report,
    log: { warn: (fields: unknown) => void warned.push(fields) },
    signal: ended.signal,
    intervalMs: 1,
  });
  return { newUpgrades: report.newUpgrades, warned: warned.length };
}

describe('what nodes tell of upgrades', () => {
  it.each<[string, Answer[], { newUpgrades: Answer; warned: number }]>([
    ['warns once of each', [[fork], [fork]], { newUpgrades: [fork], warned: 1 }],
    ['is forgotten when the calendar or the node changed', [[fork], []], { newUpgrades: [], warned: 1 }],
    [
      'stays when a node cannot tell',
      [[fork], undefined, new Error('away')],
      { newUpgrades: [fork], warned: 1 },
    ],
    [
      'is unknown where no node can tell',
      [undefined, new Error('away')],
      { newUpgrades: undefined, warned: 0 },
    ],
  ])('%s', async (_, answers, expected) => {
    expect(await watch(...answers)).toEqual(expected);
  });

  it('is not asked where the family cannot', async () => {
    const ended = new AbortController();
    const report = createChainReport('eip155:1');
    const watched = watchUpgrades({
      client: {},
      upgrades: [],
      report,
      log: { warn: fail },
      signal: ended.signal,
    });
    ended.abort();
    await watched;
    expect(report.newUpgrades).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('expected no warning');
}
