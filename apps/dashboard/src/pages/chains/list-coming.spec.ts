import { listComing } from './list-coming.ts';

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
