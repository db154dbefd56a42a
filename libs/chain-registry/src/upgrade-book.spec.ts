// SPDX-License-Identifier: Apache-2.0
import type { Calendar, Upgrade } from '@chainwatch/chain-core';
import { createUpgradeBook, listFamilies } from './index.ts';

const OP = 'eip155:10';
const lagoon = createUpgradeBook()
  .list(OP)
  .find(({ name }) => name === 'Lagoon')!;
const mount = (...upgrades: Upgrade[]): Calendar => ({ reviewed: '2027-03-01', upgrades });

describe('the calendar of a chain', () => {
  it('has the rows of its network alone, for any spelling of its id', () => {
    const rows = createUpgradeBook().list('tron:mainnet');
    expect(rows.map(({ network }) => network)).toEqual(rows.map(() => 'tron'));
    expect(rows.length).toBeGreaterThan(1);
  });

  it('is empty for a chain that nobody knows', () => {
    expect(createUpgradeBook().list('eip155:999999')).toEqual([]);
    expect(createUpgradeBook().findReviewed('eip155:999999')).toBeUndefined();
  });
});

describe('a mounted calendar', () => {
  it('tells when, and leaves what this release can read to the release', () => {
    const told: Upgrade = { ...lagoon, date: '2027-02-01', state: 'not', reason: 'Somebody said so.' };
    const book = createUpgradeBook(mount(told));
    expect(book.list(OP)).toContainEqual({ ...lagoon, date: '2027-02-01' });
    expect(book.findReviewed(OP)).toBe('2027-03-01');
  });

  it('adds upgrades that this release is not ready for, whatever their row says', () => {
    const { spec: _, ...rest } = lagoon as Upgrade & { spec: string };
    const added: Upgrade = { ...rest, name: 'Mistral', state: 'generated', spec: 'libs/a.spec.ts' };
    expect(createUpgradeBook(mount(added)).list(OP)).toContainEqual({
      ...rest,
      name: 'Mistral',
      state: 'not',
      reason: expect.stringContaining('does not have this upgrade'),
    });
  });

  it('may name networks that this release does not know', () => {
    const book = createUpgradeBook(mount({ ...lagoon, network: 'moon' }));
    expect(book.list(OP)).toEqual(createUpgradeBook().list(OP));
  });

  it('does not touch what families know of themselves', () => {
    createUpgradeBook(mount({ ...lagoon, date: '2027-02-01' }));
    const evm = listFamilies().find(({ name }) => name === 'evm')!;
    expect(evm.calendar.upgrades).toContainEqual(lagoon);
  });
});
