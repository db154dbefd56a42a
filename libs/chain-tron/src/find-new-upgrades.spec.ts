// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type Upgrade } from '@chainwatch/chain-core';
import { findNewUpgrades } from './tron-client.ts';

const nowMs = Date.parse('2026-11-28');
const row = (date: string | null): Upgrade =>
  ({ name: 'GreatVoyage 4.8.2', date, signals: ['getAllowTvmOsaka'] }) as Upgrade;
/** The shape of java-tron's answer: a value of 0 is left out. */
const parameters = (...more: object[]) => ({
  chainParameter: [
    { key: 'getEnergyFee', value: 100 },
    { key: 'getAllowTvmCancun', value: 1 },
    { key: 'getAllowTvmPrague' },
    ...more,
  ],
});
const ask = (answer: unknown, ...known: Upgrade[]) =>
  findNewUpgrades(
    { call: async () => (answer instanceof Error ? Promise.reject(answer) : answer) },
    { known, nowMs },
  );

it.each<[string, object, Upgrade[], object[]]>([
  [
    'is told where this release does not know it',
    { key: 'getAllowMoon' },
    [],
    [{ name: 'getAllowMoon', isActive: false }],
  ],
  ['is known while it is closed', { key: 'getAllowTvmOsaka' }, [row(null)], []],
  [
    'is told where it opens before its row',
    { key: 'getAllowTvmOsaka', value: 1 },
    [row(null)],
    [{ name: 'GreatVoyage 4.8.2 getAllowTvmOsaka', isActive: true }],
  ],
  ['is known as open', { key: 'getAllowTvmOsaka', value: 1 }, [row('2026-11-01')], []],
  ['is no price', { key: 'getMoonFee', value: 5 }, [], []],
])('a gate %s', async (_, gate, known, expected) => {
  expect(await ask(parameters(gate), ...known)).toEqual(expected);
});

it('a node without the method cannot tell', async () => {
  expect(await ask(new ChainClientError('not found', { nodeCode: 404 }))).toBeUndefined();
  expect(await ask({ Error: 'disabled' })).toBeUndefined();
});
