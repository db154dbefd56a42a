// SPDX-License-Identifier: Apache-2.0
import {
  lastMonth,
  sayGaps,
  sayPeriod,
  saySelection,
  saySize,
  splitAddresses,
} from './describe-statement.ts';

it('says days, and times where a period has some', () => {
  expect(sayPeriod({ from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' })).toBe(
    'Oct 1, 2026 – Nov 1, 2026',
  );
  expect(sayPeriod({ from: '2026-10-01T00:00:00.000Z', to: '2026-10-01T12:30:00.000Z' })).toMatch(
    /^Oct 1, 2026, 12:00\sAM – Oct 1, 2026, 12:30\sPM$/,
  );
});

it('says which addresses a statement is about', () => {
  const none = { addresses: null, group: null, public_key_id: null };
  expect([
    saySelection({ ...none, group: 'customers' }),
    saySelection({ ...none, public_key_id: '6f1d1f4e-0000-4000-8000-000000000001' }),
    saySelection({ ...none, addresses: ['one'] }),
    saySelection({ ...none, addresses: ['one', 'two'] }),
  ]).toEqual(['Group customers', 'Public key', 'one', '2 addresses']);
});

it('says that there is no gap of a completed statement alone', () => {
  const progress = { addresses_done: 1, addresses_total: 1, movements: 0, unexplained: 0 };
  const say = (status: 'completed' | 'running', gaps: number): string =>
    sayGaps({ status, progress: { ...progress, gaps } });
  expect([say('running', 0), say('running', 2), say('completed', 0), say('completed', 1_200)]).toEqual([
    '–',
    '2 so far',
    'None',
    '1,200',
  ]);
});

it.each([
  [0, '0 bytes'],
  [1_023, '1,023 bytes'],
  [1_536, '1.5 KB'],
  [268_435_456, '256 MB'],
  [3_221_225_472, '3 GB'],
])('writes %d bytes as %s', (bytes, text) => expect(saySize(bytes)).toBe(text));

it.each([
  ['2026-11-28T23:59:59Z', ['2026-10-01', '2026-11-01']],
  ['2026-01-01T00:00:00Z', ['2025-12-01', '2026-01-01']],
  ['2028-03-31T12:00:00Z', ['2028-02-01', '2028-03-01']],
])('at %s the last month is %j', (now, month) => expect(lastMonth(Date.parse(now))).toEqual(month));

it('splits addresses at lines, commas, and spaces, each once', () => {
  expect(splitAddresses(' a,b\n\tc; a ')).toEqual(['a', 'b', 'c']);
});
