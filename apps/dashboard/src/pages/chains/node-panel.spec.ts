// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { fillQuarters, sayHealth } from './node-panel.tsx';

const quarter = (at: string, failures: number, latency_ms: number | null = 40) => ({
  ...{ at: `2026-01-02T${at}:00.000Z`, samples: 90 },
  ...{ failures, latency_ms },
});
const history = [quarter('11:30', 0), quarter('11:45', 1, 60), quarter('12:00', 90, null)];

it('shows 24 hours in quarters, and those without a report as such', () => {
  const quarters = fillQuarters(history, Date.parse('2026-01-02T12:07:00.000Z'));
  expect(quarters).toHaveLength(96);
  expect(quarters.slice(-4).map(({ state }) => state)).toEqual(['none', 'good', 'mixed', 'bad']);
  expect(new Date(quarters[0]!.at).toISOString()).toBe('2026-01-01T12:15:00.000Z');
});

it('says how it was, and never more than it was', () => {
  expect(sayHealth(history)).toBe('serving 66.2 % of the time, 50 ms on average');
  expect(sayHealth([{ ...quarter('11:30', 1), samples: 100_000 }])).toBe(
    'serving 99.9 % of the time, 40 ms on average',
  );
  expect(sayHealth([quarter('12:00', 90, null)])).toBe('serving 0 % of the time');
});
