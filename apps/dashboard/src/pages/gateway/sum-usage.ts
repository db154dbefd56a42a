// SPDX-License-Identifier: Apache-2.0
import type { UsageRow } from '../../api/gateway-queries.ts';

type Bucket = NonNullable<UsageRow['latency']>['buckets'][number];

export interface UsageSum {
  readonly name: string;
  readonly requests: number;
  readonly cached: number;
  readonly failures: number;
  readonly bytesOut: number;
  /** Calls whose time was taken; all of their times, in milliseconds. */
  readonly timed: number;
  readonly latencyMs: number;
  /** The fastest first. */
  readonly buckets: readonly Bucket[];
}

/** Sums by what `nameOf` says of a row, the most called first. */
export function sumUsage(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, ...NOTHING };
    const { calls = 0, mean_ms = 0, buckets = [] } = row.latency ?? {};
    sums.set(name, {
      name,
      requests: sum.requests + row.requests,
      cached: sum.cached + row.cached,
      failures: sum.failures + row.failures,
      bytesOut: sum.bytesOut + row.bytes_out,
      timed: sum.timed + calls,
      latencyMs: sum.latencyMs + calls * mean_ms,
      buckets: addBuckets(sum.buckets, buckets),
    });
  }
  return [...sums.values()].toSorted((one, other) => other.requests - one.requests);
}

const NOTHING = { requests: 0, cached: 0, failures: 0, bytesOut: 0, timed: 0, latencyMs: 0, buckets: [] };

function addBuckets(some: readonly Bucket[], more: readonly Bucket[]): readonly Bucket[] {
  const calls = new Map(some.map((bucket) => [bucket.up_to_ms, bucket.calls]));
  for (const bucket of more) calls.set(bucket.up_to_ms, (calls.get(bucket.up_to_ms) ?? 0) + bucket.calls);
  return [...calls]
    .map(([up_to_ms, count]) => ({ up_to_ms, calls: count }))
    .toSorted((one, other) => (one.up_to_ms ?? Infinity) - (other.up_to_ms ?? Infinity));
}

/** `12.5 %`; a dash where there is nothing to take a share of. */
export function sayShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}

/** `12.4 ms`; a dash where no time was taken. */
export function sayMean({ latencyMs, timed }: Pick<UsageSum, 'latencyMs' | 'timed'>): string {
  if (timed === 0) return '–';
  return `${(latencyMs / timed).toLocaleString('en', { maximumSignificantDigits: 3 })} ms`;
}

/** `≤ 50 ms`: so long took at least 95 of 100 calls, at most. */
export function sayP95({ timed, buckets }: Pick<UsageSum, 'timed' | 'buckets'>): string {
  let left = Math.ceil((95 * timed) / 100);
  for (const { up_to_ms: bound, calls } of buckets) {
    left -= calls;
    if (left <= 0) return bound === null ? '> 30,000 ms' : `≤ ${bound.toLocaleString('en')} ms`;
  }
  return '–';
}
