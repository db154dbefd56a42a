// SPDX-License-Identifier: Apache-2.0
import type { UsageRow } from '../../api/gateway-queries.ts';
import { Bars } from '../../ui/bars.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useNow } from '../../ui/time.tsx';
import { sumUsage } from './sum-usage.ts';

const HOUR_MS = 3_600_000;
const BARS_MAX = 120;

interface UsageHoursProps {
  readonly rows: readonly UsageRow[];
  readonly hours: number;
}

/** A bar for each hour, or for several where there are many. */
export function UsageHours({ rows, hours }: UsageHoursProps) {
  const spanMs = Math.ceil(hours / BARS_MAX) * HOUR_MS;
  const last = Math.floor(useNow() / spanMs) * spanMs;
  const count = Math.ceil((hours * HOUR_MS) / spanMs);
  const sums = new Map(
    sumUsage(rows, ({ hour }) => String(Math.floor(Date.parse(hour) / spanMs) * spanMs)).map((sum) => [
      Number(sum.name),
      sum,
    ]),
  );
  const bars = Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * spanMs;
    const { requests = 0, cached = 0 } = sums.get(at) ?? {};
    return {
      at,
      count: requests,
      part: cached,
      title: `${new Date(at).toLocaleString()}: ${requests.toLocaleString()}, ${cached.toLocaleString()} cached`,
    };
  });
  const total = bars.reduce((sum, bar) => sum + bar.count, 0);
  return (
    <Panel title="Calls over time" aside={<span className="text-xs text-faint">green: cached</span>}>
      <Bars
        label={`${total.toLocaleString()} ${total === 1 ? 'call' : 'calls'} in ${hours} hours`}
        bars={bars}
      />
    </Panel>
  );
}
