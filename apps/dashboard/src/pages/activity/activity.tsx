// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import { seriesQuery, type Period, type StatsSeries } from '../../api/queries.ts';
import { Bars } from '../../ui/bars.tsx';
import { ChoiceChip } from '../../ui/chips.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';

const PERIODS: readonly { readonly value: Period; readonly title: string }[] = [
  { value: '1h', title: '1 hour' },
  { value: '24h', title: '24 hours' },
  { value: '7d', title: '7 days' },
  { value: '30d', title: '30 days' },
];

export type Point = StatsSeries['points'][number];

/** Charts over a period: of the project, or of one channel. */
export function Activity({ channelId }: { readonly channelId?: string }) {
  const [period, setPeriod] = useState<Period>('24h');
  const query = useQuery(seriesQuery(period, channelId));
  return (
    <Panel
      title="Activity"
      aside={
        <ChoiceChip
          name="Last"
          isSingle
          options={PERIODS}
          chosen={[period]}
          onChange={([chosen]) => setPeriod((chosen as Period | undefined) ?? period)}
        />
      }
    >
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={8} />
      ) : (
        <Charts series={query.data} />
      )}
    </Panel>
  );
}

function Charts({ series: { points, period } }: { readonly series: StatsSeries }) {
  const { events, delivered, failed, successRate, meanMs } = sumPoints(points);
  const title = PERIODS.find(({ value }) => value === period)!.title;
  const barsOf = (read: (point: Point) => { count: number; part?: number; text: string }) =>
    points.map((point) => {
      const { text, ...drawn } = read(point);
      return { at: Date.parse(point.at), ...drawn, title: `${sayTime(point.at, period)}: ${text}` };
    });
  const mayReadDeliveries = points.some((point) => point.delivered !== null);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-5 sm:grid-cols-2">
      {events !== null && (
        <Chart
          name="Events"
          value={events.toLocaleString()}
          period={title}
          bars={barsOf((point) => ({ count: point.events ?? 0, text: (point.events ?? 0).toLocaleString() }))}
        />
      )}
      {mayReadDeliveries && (
        <>
          <Chart
            name="Deliveries"
            value={`${delivered.toLocaleString()}${failed > 0 ? ` · ${failed.toLocaleString()} failed attempts` : ''}`}
            period={title}
            partTone="bad"
            bars={barsOf((point) => ({
              count: (point.delivered ?? 0) + (point.failed_attempts ?? 0),
              part: point.failed_attempts ?? 0,
              text: `${point.delivered ?? 0} delivered, ${point.failed_attempts ?? 0} failed attempts`,
            }))}
          />
          <Chart
            name="Success rate"
            value={sayRate(successRate)}
            period={title}
            max={1}
            bars={barsOf(({ success_rate: rate }) => ({
              count: rate ?? 0,
              text: rate === null ? 'no attempts' : sayRate(rate),
            }))}
          />
          <Chart
            name="Response time"
            value={meanMs === undefined ? 'none' : `${sayMs(meanMs)} on average`}
            period={title}
            bars={barsOf(({ latency }) => ({
              count: latency?.mean_ms ?? 0,
              text: latency === null ? 'no attempts' : sayLatency(latency),
            }))}
          />
        </>
      )}
    </div>
  );
}

interface Summary {
  /** Null for a single channel. */
  readonly events: number | null;
  readonly delivered: number;
  readonly failed: number;
  /** Share of the attempts that were accepted; undefined: there was none. */
  readonly successRate: number | undefined;
  /** Mean over all attempts in milliseconds; undefined: there was none. */
  readonly meanMs: number | undefined;
}

/** What a period comes to. */
export function sumPoints(points: readonly Point[]): Summary {
  const attemptsOf = ({ delivered, failed_attempts: failed }: Point): number =>
    (delivered ?? 0) + (failed ?? 0);
  const sum = (read: (point: Point) => number): number =>
    points.reduce((total, point) => total + read(point), 0);
  const attempts = sum(attemptsOf);
  const delivered = sum((point) => point.delivered ?? 0);
  return {
    events: points.every(({ events }) => events === null) ? null : sum(({ events }) => events ?? 0),
    delivered,
    failed: attempts - delivered,
    successRate: attempts === 0 ? undefined : delivered / attempts,
    meanMs:
      attempts === 0
        ? undefined
        : sum((point) => (point.latency?.mean_ms ?? 0) * attemptsOf(point)) / attempts,
  };
}

interface ChartProps extends Omit<ComponentProps<typeof Bars>, 'label'> {
  readonly name: string;
  readonly value: string;
  readonly period: string;
}

function Chart({ name, value, period, ...bars }: ChartProps) {
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3 text-[13px]">
        <span className="text-soft">{name}</span>
        <span className="font-medium tabular-nums">{value}</span>
      </figcaption>
      <Bars label={`${name}, last ${period}: ${value}`} {...bars} />
      <div aria-hidden className="mt-1 flex justify-between text-xs text-faint">
        <span>{period} ago</span>
        <span>now</span>
      </div>
    </figure>
  );
}

function sayTime(at: string, period: Period): string {
  const date = new Date(at);
  return period === '1h' || period === '24h' ? date.toLocaleTimeString() : date.toLocaleString();
}

/** Two digits more where all nearly succeed; never 100 % while one failed. */
export function sayRate(rate: number | undefined): string {
  if (rate === undefined) return 'none';
  return `${rate > 0.99 && rate < 1 ? Math.min(99.99, Math.floor(rate * 10_000) / 100) : Math.round(rate * 1_000) / 10} %`;
}

const sayMs = (ms: number): string =>
  ms < 1_000
    ? `${Math.round(ms)} ms`
    : `${(ms / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;

function sayLatency({ mean_ms: mean, p95_ms: p95 }: NonNullable<Point['latency']>): string {
  return `${sayMs(mean)} on average, 95 % within ${p95 === null ? 'more than 30 s' : sayMs(p95)}`;
}
