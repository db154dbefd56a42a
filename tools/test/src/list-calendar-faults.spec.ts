// SPDX-License-Identifier: Apache-2.0
import type { Upgrade } from '@chainwatch/chain-core';
import { listCalendarFaults } from './list-calendar-faults.ts';

const nowMs = Date.parse('2026-11-28');
const row = (name: string, date: string | null, state = 'not'): Upgrade =>
  ({ network: 'base', name, date, state, reason: 'Nobody reads it.' }) as Upgrade;

it('forbids a release whose row is not ready and past, and warns 30 days before', () => {
  const rows = [
    row('today', '2026-11-28'),
    row('past', '2026-09-01T10:00:00Z'),
    row('soon', '2026-12-28'),
    row('later', '2026-12-29'),
    row('open', null),
    row('read', '2026-09-01', 'generated'),
  ];
  expect(listCalendarFaults(rows, nowMs)).toEqual({
    faults: [
      'base: past, 2026-09-01T10:00:00Z: Nobody reads it.',
      'base: today, 2026-11-28: Nobody reads it.',
    ],
    warnings: ['base: soon, 2026-12-28: Nobody reads it.'],
  });
});
