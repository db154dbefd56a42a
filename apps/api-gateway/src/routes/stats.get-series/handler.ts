// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findChannel } from '../../channels/find-channel.ts';
import {
  periodSchema,
  statsSeriesSchema,
  PERIODS,
  type Period,
  type StatsSeries,
} from '../../records/stats.ts';
import { defineRoute } from '../../define-route.ts';
import { LATENCY_BOUNDS_MS, type Sql } from '@chainwatch/data/db';
import { EVENT_TYPES } from '@chainwatch/events';
import type { Principal } from '@chainwatch/data/key-store';
import { describeLatency } from '../../records/latency.ts';

const querySchema = z.strictObject({
  period: periodSchema.default('24h'),
  channel_id: z.uuid().optional().meta({ description: 'Only deliveries of this channel.' }),
});

export const getStatsSeries = defineRoute({
  method: 'GET',
  path: '/stats/series',
  permission: 'api:event:read',
  reads: 'standby',
  summary: 'Events, deliveries, success rate, and latency over a period, for charts',
  problems: [404],
  query: querySchema,
  responses: { 200: statsSeriesSchema },
  handle: async ({ query: { period, channel_id: id }, principal }, deps) => {
    if (id !== undefined) await findChannel(deps, { principal, id });
    return { status: 200, body: await readSeries(deps.db, { principal, period, channelId: id }) };
  },
});

interface Asked {
  readonly principal: Pick<Principal, 'projectId' | 'permissions'>;
  readonly period: Period;
  /** Undefined: all channels of the project. */
  readonly channelId: string | undefined;
}

interface AttemptRow {
  readonly at: Date;
  readonly delivered: number;
  readonly failed: number;
  readonly latency_ms: number;
  readonly latency_counts: readonly number[];
}

/** Points begin at whole multiples of their length. Rows are as many as channels and points at most, however much was sent. */
export async function readSeries(
  sql: Sql,
  { principal, period, channelId }: Asked,
  eventsMax = EVENTS_MAX,
): Promise<StatsSeries> {
  const { points, minutes, unit } = PERIODS[period];
  const stepMs = minutes * 60_000;
  const firstMs = (Math.floor(Date.now() / stepMs) - points + 1) * stepMs;
  const range = [unit, new Date(firstMs), `${minutes} min`];
  const mayReadDeliveries = principal.permissions.includes('api:delivery:read');
  const [events, attempts] = await Promise.all([
    channelId === undefined
      ? sql.query<{ at: Date; events: number }>(COUNT_EVENTS, [
          ...[principal.projectId, new Date(firstMs), `${minutes} min`, EVENT_TYPES, eventsMax],
        ])
      : undefined,
    mayReadDeliveries
      ? sql.query<AttemptRow>(SUM_ATTEMPTS, [principal.projectId, ...range, channelId ?? null])
      : undefined,
  ]);
  const eventCount = events?.rows.reduce((sum, row) => sum + Number(row.events), 0) ?? Infinity;
  const eventsAt = new Map(events?.rows.map((row) => [row.at.getTime(), row.events]));
  const attemptsAt = new Map(attempts?.rows.map((row) => [row.at.getTime(), row]));
  return {
    period,
    channel_id: channelId ?? null,
    step_seconds: minutes * 60,
    points: Array.from({ length: points }, (_, index) => {
      const ms = firstMs + index * stepMs;
      return {
        at: new Date(ms).toISOString(),
        events: eventCount > eventsMax ? null : Number(eventsAt.get(ms) ?? 0),
        ...describeAttempts(attemptsAt.get(ms), mayReadDeliveries),
      };
    }),
  };
}

type AttemptFigures = Omit<StatsSeries['points'][number], 'at' | 'events'>;

function describeAttempts(row: AttemptRow | undefined, mayRead: boolean): AttemptFigures {
  if (!mayRead) return { delivered: null, failed_attempts: null, success_rate: null, latency: null };
  if (row === undefined) return { delivered: 0, failed_attempts: 0, success_rate: null, latency: null };
  const [delivered, failed] = [Number(row.delivered), Number(row.failed)];
  const latency = describeLatency({ ...row, latency_counts: row.latency_counts.map(Number) });
  return {
    delivered,
    failed_attempts: failed,
    success_rate: Math.round((10_000 * delivered) / (delivered + failed)) / 10_000,
    latency: latency && { mean_ms: latency.mean_ms, p95_ms: latency.p95_ms },
  };
}

/** Days and hours of UTC, whatever the time zone of the session. */
const POINT_AT = `date_bin($4::interval, at, timestamptz '2000-01-01 00:00Z') AS at`;

/** More are not counted: that takes seconds, each time that a page shows them. */
const EVENTS_MAX = 5_000_000;

/** Of the index of types alone, which has neither held events nor test messages: a million in 0.3 s. */
const COUNT_EVENTS = `SELECT date_bin($3::interval, created_at, timestamptz '2000-01-01 00:00Z') AS at, count(*) AS events FROM (
    SELECT created_at FROM event_log WHERE project_id = $1 AND type = ANY ($4::text[]) AND created_at >= $2 AND NOT is_held AND subject_kind <> 'test'
    LIMIT $5::bigint + 1) e GROUP BY 1`;

const SUM_ATTEMPTS = `SELECT ${POINT_AT}, sum(delivered)::bigint AS delivered, sum(failed)::bigint AS failed, sum(latency_ms) AS latency_ms,
    ARRAY[${[...LATENCY_BOUNDS_MS, Infinity].map((_, index) => `coalesce(sum(latency_counts[${index + 1}]), 0)`).join(', ')}]::float8[] AS latency_counts
  FROM channel_activity
  WHERE channel_id IN (SELECT id FROM notification_channels WHERE project_id = $1 AND ($5::uuid IS NULL OR id = $5)) AND minutes = $2 AND at >= $3
  GROUP BY 1`;
