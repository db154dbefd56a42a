// SPDX-License-Identifier: Apache-2.0
import {
  calendarSchema,
  compareUpgrades,
  findExplanation,
  findOverdue,
  parseCalendar,
  selectUpgrades,
  type Upgrade,
} from './upgrade.ts';

const row = (over: object = {}): object => ({
  network: 'optimism',
  name: 'Lagoon',
  date: null,
  height: null,
  certainty: 'unverified',
  changes: 'A type.',
  explains: ['transaction-type:0x7d'],
  state: 'generated',
  spec: 'libs/chain-evm/src/lagoon.spec.ts',
  sources: ['https://example.com/lagoon'],
  ...over,
});
const parse = (...rows: object[]): readonly Upgrade[] =>
  calendarSchema.parse({ reviewed: '2026-11-27', upgrades: rows }).upgrades;

describe('a row of a calendar', () => {
  it.each([
    ['says what is recorded where it is ready', { state: 'ready' }],
    ['gives the reason where it is not', { state: 'not' }],
    ['names its spec', { spec: undefined }],
    ['names a file that is a spec', { spec: 'libs/chain-evm/src/networks.json' }],
    ['has a source', { sources: [] }],
    ['has a source that is an address', { sources: ['the calendar'] }],
    ['has a day or a moment of UTC', { date: 'autumn' }],
    ['has no other members', { handled: true }],
  ])('%s', (_, over) => {
    expect(calendarSchema.safeParse({ reviewed: '2026-11-27', upgrades: [row(over)] }).success).toBe(false);
    expect(parse(row())).toHaveLength(1);
  });

  it('stands once, for a network of the family', () => {
    expect(() => parse(row(), row())).toThrow(/expected one row for optimism Lagoon, got two/);
    expect(() => parseCalendar({ reviewed: '2026-11-27', upgrades: [row()] }, [])).toThrow(/got optimism/);
  });
});

describe('the upgrade that explains an incident', () => {
  const kind = 'transaction-type:0x7d';
  const atMs = Date.parse('2026-11-27');
  const [past, older, next, open] = parse(
    row({ name: 'past', date: '2026-11-01' }),
    row({ name: 'older', date: '2026-10-01' }),
    row({ name: 'next', date: '2026-12-01T10:00:00Z' }),
    row({ name: 'open' }),
  ) as [Upgrade, Upgrade, Upgrade, Upgrade];

  it.each<[string, Upgrade[], Upgrade | undefined]>([
    ['is the latest that is active', [open, older, next, past], past],
    ['is the next where none is active', [open, next], next],
    ['may have no date', [open], open],
    ['is none where no row names the kind', [{ ...past, explains: [] }], undefined],
  ])('%s', (_, rows, expected) => {
    expect(findExplanation(rows, { kind, atMs })).toBe(expected);
  });
});

it('orders by date, without one last', () => {
  const rows = parse(row({ name: 'b' }), row({ name: 'a' }), row({ name: 'c', date: '2026-12-01' }));
  expect([...rows].sort(compareUpgrades).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
});

it('finds rows that are past and not ready', () => {
  const not = { state: 'not', reason: 'Nobody read it.' };
  const rows = parse(
    row({ ...not, name: 'past', date: '2026-11-01' }),
    row({ ...not, name: 'later', date: '2026-12-01' }),
    row({ ...not, name: 'open' }),
    row({ name: 'generated', date: '2026-11-01' }),
  );
  expect(findOverdue(rows, Date.parse('2026-11-27')).map(({ name }) => name)).toEqual(['past']);
});

describe('what a reader looks at', () => {
  const nowMs = Date.parse('2026-11-27T12:00:00Z');
  const select = (...rows: object[]): string[] =>
    selectUpgrades(parse(...rows), nowMs).map(({ name }) => name);
  const open = row({ name: 'open' });

  it('are the last 90 days and the next upgrade', () => {
    expect(
      select(
        row({ name: 'old', date: '2026-08-28' }),
        row({ name: 'after', date: '2027-01-01' }),
        row({ name: 'today', date: '2026-11-27T12:00:00Z' }),
        row({ name: 'next', date: '2026-11-28' }),
        row({ name: 'autumn', date: '2026-08-30' }),
        open,
      ),
    ).toEqual(['autumn', 'today', 'next']);
  });

  it.each([
    ['no head is known', {}, []],
    ['the chain is below all heights', { headNumber: 99, blockTimeMs: 2_000 }, ['low', 'high']],
    ['the chain has just reached one', { headNumber: 100, blockTimeMs: 2_000 }, ['low', 'high']],
    ['90 days of blocks have passed', { headNumber: 100 + 90 * 43_200, blockTimeMs: 2_000 }, ['low', 'high']],
    ['more have', { headNumber: 101 + 90 * 43_200, blockTimeMs: 2_000 }, ['high']],
    ['the chain is twice as fast', { headNumber: 101 + 90 * 43_200, blockTimeMs: 1_000 }, ['low', 'high']],
  ])('with a height alone, where %s', (_what, pace, expected) => {
    const rows = parse(
      row({ name: 'high', height: 9_000_000 }),
      row({ name: 'low', height: 100 }),
      row({ name: 'dated', height: 5, date: '2026-11-28' }),
    );
    expect(selectUpgrades(rows, nowMs, pace).map(({ name }) => name)).toEqual(['dated', ...expected]);
  });

  it('are those without a date where none has one, but for a height that may be past', () => {
    expect(select(open, row({ name: 'height', height: 5 }))).toEqual(['open']);
  });
});
