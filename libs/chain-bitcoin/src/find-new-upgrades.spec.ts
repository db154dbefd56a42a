// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type Upgrade } from '@chainwatch/chain-core';
import { findNewUpgrades } from './bitcoin-client.ts';

const nowMs = Date.parse('2026-11-28');
const row = (date: string | null): Upgrade =>
  ({ name: 'BIP-110', date, signals: ['reduced_data'] }) as Upgrade;
/** The shape of Bitcoin Core's answer. */
const deployments = (active: boolean, status: string) => ({
  hash: '00',
  height: 925_000,
  deployments: {
    taproot: { type: 'buried', active: true, height: 709_632, min_activation_height: 709_632 },
    testdummy: { type: 'bip9', active: false, bip9: { status: 'failed', since: 0 } },
    reduced_data: { type: 'bip9', active, bip9: { status, since: 1 } },
  },
});
const ask = (answer: unknown, ...known: Upgrade[]) =>
  findNewUpgrades(
    { call: async () => (answer instanceof Error ? Promise.reject(answer) : answer) },
    { known, nowMs },
  );

it.each<[string, boolean, string, Upgrade[], object[]]>([
  ['is told where no row has it', false, 'started', [], [{ name: 'reduced_data', isActive: false }]],
  ['is nothing where it failed', false, 'failed', [], []],
  ['is known where a row has it', false, 'started', [row(null)], []],
  ['is known as active', true, 'active', [row('2026-09-01')], []],
  [
    'is told where it is active before its row',
    true,
    'active',
    [row(null)],
    [{ name: 'BIP-110', isActive: true }],
  ],
])('a deployment %s', async (_, active, status, known, expected) => {
  expect(await ask(deployments(active, status), ...known)).toEqual(expected);
});

it('a node without the method cannot tell', async () => {
  expect(await ask(new ChainClientError('Method not found', { nodeCode: -32601 }))).toBeUndefined();
  await expect(ask(new ChainClientError('away'))).rejects.toThrow('away');
});
