// SPDX-License-Identifier: Apache-2.0
import { examineUpgrades } from './doctor.ts';

const nowMs = Date.parse('2026-11-28T00:00:00Z');
type Chain = Parameters<typeof examineUpgrades>[0][number];

/** At block 1,000,000, one every 2 s. */
const sync = {
  ...{ status: 'following', reason: null, updated_at: '2026-11-28T00:00:00Z', incident_count: 0 },
  ...{ head_number: 1_000_000, node_head_number: null, finalized_number: null, processed_number: null },
  ...{
    lag_blocks: null,
    balances_checked_at: null,
    proofs: [],
    block_time_ms: 2_000,
    configured_block_time_ms: 12_000,
  },
};

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
  sync,
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
    [
      'with a height alone are told by the pace of the chain',
      { ...not, date: null, height: 1_000_000 + 2 * 43_200 },
      [
        'not eip155:56 upgrade: Jenner at block 1086400, in about 2 days: Nobody reads them. (update the service)',
      ],
    ],
    [
      'stay findings when their height is reached',
      { ...not, date: null, height: 1_000_000 },
      ['not eip155:56 upgrade: Jenner active since block 1000000: Nobody reads them. (update the service)'],
    ],
    [
      'are nothing to look at in more than 30 days of blocks',
      { ...not, date: null, height: 1_000_000 + 31 * 43_200 },
      [],
    ],
    ['are nothing to look at when their height is reached and supported', { date: null, height: 5 }, []],
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
