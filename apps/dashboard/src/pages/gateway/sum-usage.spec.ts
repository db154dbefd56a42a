import type { UsageRow } from '../../api/gateway-queries.ts';
import { sayShare, sumUsage } from './sum-usage.ts';

const row = (method: string, key_id: string, requests: number, cached = 0): UsageRow => ({
  ...{ hour: '2026-01-01T00:00:00.000Z', chain_gid: 'eip155:1', method, key_id },
  ...{ requests, cached, failures: 1, bytes_in: 5, bytes_out: 7 },
});

it('sums by what is asked for, the most called first', () => {
  const rows = [row('a', 'k1', 1), row('b', 'k1', 5, 2), row('a', 'k2', 2, 1)];
  expect(sumUsage(rows, ({ method }) => method)).toEqual([
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
