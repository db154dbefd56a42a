// SPDX-License-Identifier: Apache-2.0
import type { UsageRow } from '../../api/gateway-queries.ts';
import { sayMean, sayP95, sayShare, sumUsage } from './sum-usage.ts';

const row = (method: string, key_id: string, requests: number, cached = 0): UsageRow => ({
  ...{ hour: '2026-01-01T00:00:00.000Z', chain_gid: 'eip155:1', method, key_id },
  ...{ requests, cached, failures: 1, bytes_in: 5, bytes_out: 7, latency: null },
});

it('sums by what is asked for, the most called first', () => {
  const rows = [row('a', 'k1', 1), row('b', 'k1', 5, 2), row('a', 'k2', 2, 1)];
  expect(sumUsage(rows, ({ method }) => method)).toMatchObject([
    { name: 'b', requests: 5, cached: 2, failures: 1, bytesOut: 7 },
    { name: 'a', requests: 3, cached: 1, failures: 2, bytesOut: 14 },
  ]);
  expect(sumUsage(rows, ({ key_id }) => key_id).map(({ name, requests }) => [name, requests])).toEqual([
    ['k1', 6],
    ['k2', 2],
  ]);
});

it('says shares, and none of nothing', () => {
  expect([sayShare(1, 8), sayShare(1, 3), sayShare(0, 4), sayShare(0, 0)]).toEqual([
    '12.5 %',
    '33.3 %',
    '0 %',
    '–',
  ]);
});

describe('times', () => {
  /** Buckets as the API gives them: `[50, 3]` are three calls of at most 50 ms. */
  const timed = (mean_ms: number, ...buckets: readonly (readonly [number | null, number])[]): UsageRow => ({
    ...row('a', 'k', 1),
    latency: {
      calls: buckets.reduce((sum, [, calls]) => sum + calls, 0),
      mean_ms,
      p95_ms: 1,
      buckets: buckets.map(([up_to_ms, calls]) => ({ up_to_ms, calls })),
    },
  });
  const sumOf = (...rows: readonly UsageRow[]) => sumUsage(rows, () => 'all')[0]!;

  it('are summed over rows, each mean by its calls', () => {
    const sum = sumOf(
      timed(4, [5, 9], [50, 1]),
      row('a', 'k', 1_000),
      timed(90, [null, 1], [5, 8], [100, 1]),
    );
    expect(sum).toMatchObject({
      timed: 20,
      buckets: [
        { up_to_ms: 5, calls: 17 },
        { up_to_ms: 50, calls: 1 },
        { up_to_ms: 100, calls: 1 },
        { up_to_ms: null, calls: 1 },
      ],
    });
    expect([sayMean(sum), sayP95(sum)]).toEqual(['47 ms', '≤ 100 ms']);
  });

  it.each<[string, UsageRow[], string, string]>([
    ['no call', [row('a', 'k', 3)], '–', '–'],
    ['one call', [timed(0.123, [1, 1])], '0.123 ms', '≤ 1 ms'],
    ['95 of 100 calls', [timed(1_234.56, [2, 95], [2_000, 5])], '1,230 ms', '≤ 2 ms'],
    ['94 of 100 calls', [timed(1_234.56, [2, 94], [2_000, 6])], '1,230 ms', '≤ 2,000 ms'],
    ['no bound', [timed(45_000, [null, 2])], '45,000 ms', '> 30,000 ms'],
  ])('of %s', (_name, rows, mean, p95) => {
    expect([sayMean(sumOf(...rows)), sayP95(sumOf(...rows))]).toEqual([mean, p95]);
  });
});
