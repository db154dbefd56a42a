// SPDX-License-Identifier: Apache-2.0
import type { Upgrade } from '@chainwatch/chain-core';
import { findNewUpgrades } from './solana-client.ts';
import type { Session } from './session.ts';

const nowMs = Date.parse('2026-11-28');
const KEY = 'FEEXbxUuKobtrt1qNK5pjtzbPQhsppBTrNNG74xu4mai';
const row = (date: string | null): Upgrade => ({ name: 'SIMD-0290', date, signals: [KEY] }) as Upgrade;
const feature = (bytes: readonly number[], owner = 'Feature111111111111111111111111111111111111') => ({
  ...{ lamports: 1, owner, executable: false, rentEpoch: 0 },
  data: [Buffer.from(bytes).toString('base64'), 'base64'],
});
const ACTIVE = [1, 0x2a, 1, 0, 0, 0, 0, 0, 0];

async function ask(account: object | null, known: Upgrade) {
  const asked: unknown[] = [];
  const rpc = {
    call: async (method: string, params: readonly unknown[]) => {
      asked.push([method, params[0]]);
      return { context: { slot: 5 }, value: [account] };
    },
  };
  return { found: await findNewUpgrades({ rpc } as unknown as Session, { known: [known], nowMs }), asked };
}

it.each<[string, object | null, object[]]>([
  ['that is active', feature(ACTIVE), [{ name: 'SIMD-0290', isActive: true, at: 'slot 298' }]],
  ['that waits for its activation', feature([0]), []],
  ['that nobody made', null, []],
  ['of another program', feature(ACTIVE, '11111111111111111111111111111111'), []],
])('asks for the feature account of a row without a past date: one %s', async (_, account, expected) => {
  const { found, asked } = await ask(account, row(null));
  expect(found).toEqual(expected);
  expect(asked).toEqual([['getMultipleAccounts', [KEY]]]);
});

it('asks nothing about what the calendar has as active', async () => {
  expect(await ask(feature(ACTIVE), row('2026-09-15'))).toEqual({ found: [], asked: [] });
});
