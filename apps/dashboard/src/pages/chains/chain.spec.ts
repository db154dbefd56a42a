// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { listComing, listRecent } from './chain.tsx';

type Upgrade = Parameters<typeof listComing>[0][number];

const upgrade = (name: string, date: string | null, height: number | null = null): Upgrade => ({
  ...{ name, date, height, certainty: 'verified', changes: 'Rules.', state: 'ready', reason: null },
  sources: [],
});

it('lists upgrades that are not active yet', () => {
  const upgrades = [
    upgrade('past', '2026-11-27'),
    upgrade('dated', '2026-11-29', 90),
    upgrade('announced', null),
    upgrade('reached', null, 100),
    upgrade('at a height', null, 101),
  ];
  const list = (headNumber: number | null) =>
    listComing(upgrades, { nowMs: Date.parse('2026-11-28'), headNumber }).map(({ name }) => name);
  expect(list(100)).toEqual(['dated', 'announced', 'at a height']);
  expect(list(null)).toEqual(['dated', 'announced', 'reached', 'at a height']);
});

it('lists the last three that are active, the newest first', () => {
  const upgrades = [
    upgrade('oldest', '2024-01-01'),
    upgrade('old', '2025-01-01'),
    upgrade('new', '2026-11-27'),
    upgrade('newer', '2026-11-27', 99),
    upgrade('ahead', '2026-11-29'),
  ];
  const now = { nowMs: Date.parse('2026-11-28'), headNumber: 100 };
  expect(listRecent(upgrades, now).map(({ name }) => name)).toEqual(['newer', 'new', 'old']);
});
