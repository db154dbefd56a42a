import type { UsageRow } from '../../api/gateway-queries.ts';

export interface UsageSum {
  readonly name: string;
  readonly requests: number;
  readonly cached: number;
  readonly failures: number;
  readonly bytesOut: number;
}

/** Sums by what `nameOf` says of a row, the most called first. */
export function sumUsage(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const row of rows) {
    const name = nameOf(row);
    const { requests = 0, cached = 0, failures = 0, bytesOut = 0 } = sums.get(name) ?? {};
    sums.set(name, {
      name,
      requests: requests + row.requests,
      cached: cached + row.cached,
      failures: failures + row.failures,
      bytesOut: bytesOut + row.bytes_out,
    });
  }
  return [...sums.values()].toSorted((one, other) => other.requests - one.requests);
}

/** `12.5 %`; a dash where there is nothing to take a share of. */
export function sayShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}
