// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type Upgrade } from '@chainwatch/chain-core';
import { findNewUpgrades } from './evm-client.ts';

const row = (date: string | null): Upgrade => ({ date }) as Upgrade;
const seconds = (date: string): number => Date.parse(date) / 1_000;
/** As EIP-7910 has it. */
const config = (current: string, next?: string) => ({
  current: { activationTime: seconds(current), blobSchedule: {}, chainId: '0x1', forkId: '0xaa' },
  next: next === undefined ? null : { activationTime: seconds(next), chainId: '0x1', forkId: '0xbb' },
  last: null,
});
const ask = (answer: unknown, ...known: Upgrade[]) =>
  findNewUpgrades({ call: async () => (answer instanceof Error ? Promise.reject(answer) : answer) }, known);

const CURRENT = '2026-01-07T01:01:11Z';
const NEXT = '2027-01-20T10:00:00Z';

describe('forks that a node is configured for', () => {
  it.each([
    ['are known by the second', [row(CURRENT), row('2027-01-20T10:00:00.000Z')]],
    ['are known by the day', [row('2026-01-07'), row('2027-01-20')]],
  ])('%s', async (_, known) => {
    expect(await ask(config(CURRENT, NEXT), ...known)).toEqual([]);
  });

  it('are told where the calendar has another date, or none', async () => {
    const next = { name: 'fork 0xbb', isActive: false, at: '2027-01-20T10:00:00.000Z' };
    expect(await ask(config(CURRENT, NEXT), row(CURRENT), row('2027-01-20T10:00:01Z'))).toEqual([next]);
    expect(await ask(config(CURRENT, NEXT), row(null))).toEqual([next]);
    const current = { name: 'fork 0xaa', isActive: true, at: '2026-01-07T01:01:11.000Z' };
    expect(await ask(config(CURRENT), row('2025-12-03'))).toEqual([current]);
  });

  it('are nothing new when they are older than the calendar', async () => {
    expect(await ask(config('2025-10-14T07:36:00Z'), row('2026-10-06T13:53:36Z'))).toEqual([]);
  });
});

describe('a node', () => {
  it.each([
    ['without the method', new ChainClientError('no such method', { nodeCode: -32601 })],
    ['that answers otherwise', { forks: [] }],
    ['that answers nothing', null],
  ])('%s cannot tell', async (_, answer) => {
    expect(await ask(answer)).toBeUndefined();
  });

  it('that is away is an error', async () => {
    await expect(ask(new ChainClientError('away'))).rejects.toThrow('away');
  });
});
