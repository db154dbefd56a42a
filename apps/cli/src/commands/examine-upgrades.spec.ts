import { examineUpgrades } from './examine-upgrades.ts';

const nowMs = Date.parse('2026-11-28T00:00:00Z');
type Chain = Parameters<typeof examineUpgrades>[0][number];

const chain = (
  upgrade: Partial<Chain['upgrades'][number]>,
  reviewed: string | null = '2026-11-27',
): Chain => ({
  gid: 'eip155:56',
  upgrades: [
    {
      name: 'Jenner',
      date: '2026-12-08T02:30:00Z',
      height: null,
      certainty: 'verified',
      changes: 'Tokens.',
      state: 'generated',
      reason: null,
      sources: [],
      ...upgrade,
    },
  ],
  upgrades_reviewed: reviewed,
});
const not = { state: 'not', reason: 'Nobody reads them.' } as const;
const examine = (...chains: Chain[]): string[] =>
  examineUpgrades(chains, nowMs).map(
    ({ ok, what, found, advice }) => `${ok ? 'ok' : 'not'} ${what}: ${found}${advice ? ` (${advice})` : ''}`,
  );
const calendar = 'ok calendar: reviewed on 2026-11-27';

describe('the upgrades of active chains', () => {
  it.each<[string, Partial<Chain['upgrades'][number]>, string[]]>([
    [
      'within 30 days are told',
      {},
      ['ok eip155:56 upgrade: Jenner on 2026-12-08T02:30:00Z, in 11 days: tested with generated blocks'],
    ],
    [
      'are findings where the release does not support them',
      { ...not, date: '2026-11-29' },
      ['not eip155:56 upgrade: Jenner on 2026-11-29, in 1 day: Nobody reads them. (update the service)'],
    ],
    [
      'stay findings when they are active',
      { ...not, date: '2026-11-28' },
      ['not eip155:56 upgrade: Jenner active since 2026-11-28: Nobody reads them. (update the service)'],
    ],
    ['are nothing to look at when they are active and supported', { date: '2026-11-20' }, []],
    ['are nothing to look at in more than 30 days', { ...not, date: '2026-12-29' }, []],
    ['are nothing to look at without a date', { ...not, date: null }, []],
  ])('%s', (_, upgrade, expected) => {
    expect(examine(chain(upgrade))).toEqual([...expected, calendar]);
  });
});

describe('the calendar', () => {
  it('is as old as the oldest of a family', () => {
    expect(examine(chain({ date: null }, '2026-09-28'), chain({ date: null }))).toEqual([
      'ok calendar: reviewed on 2026-09-28, 61 days ago (upgrades announced since are missing: update, or mount a newer UPGRADES_FILE)',
    ]);
    expect(examine(chain({ date: null }, '2026-09-29'))).toEqual(['ok calendar: reviewed on 2026-09-29']);
  });

  it('is not told without a chain that has one', () => {
    expect(examine(chain({ date: null }, null))).toEqual([]);
  });
});
