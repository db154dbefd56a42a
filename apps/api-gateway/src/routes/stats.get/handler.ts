// SPDX-License-Identifier: Apache-2.0
import { statsSchema, CHANNEL_STATUSES, TRANSACTION_STATUSES, type Stats } from '../../records/stats.ts';
import { defineRoute } from '../../define-route.ts';
import type { Permission } from '@chainwatch/common/api-key';
import type { Sql } from '@chainwatch/data/db';
import { EVENT_TYPES } from '@chainwatch/events';
import type { Principal } from '@chainwatch/data/key-store';
import { sumCounts } from '../../lists/sum-counts.ts';
import { deliveryStatusSchema } from '../../records/delivery.ts';

export const getStats = defineRoute({
  method: 'GET',
  path: '/stats',
  permission: 'api:event:read',
  reads: 'standby',
  summary: 'Figures of the project for an overview',
  responses: { 200: statsSchema },
  handle: async ({ principal }, { db }) => ({ status: 200, body: await readStats(db, principal) }),
});

/** So many events of each type are looked at, however many there are. */
const EVENTS_MAX = 5_000;

interface CountRow {
  readonly status: string;
  readonly count: number;
}

/** Figures that cost the same whatever the project holds: kept totals, and a bounded number of events. */
async function readStats(sql: Sql, { projectId, permissions }: Principal): Promise<Stats> {
  const ifMay = <T>(permission: Permission, read: () => Promise<T>): Promise<T | null> =>
    permissions.includes(permission) ? read() : Promise.resolve(null);
  const count = async <S extends string>(text: string, statuses: readonly S[]): Promise<Record<S, number>> =>
    toCounts(statuses, (await sql.query<CountRow>(text, [projectId])).rows);
  const [address_count, transactions, channels, deliveries, events] = await Promise.all([
    ifMay('api:address:read', () => sumCounts(sql, { scope: projectId, list: 'addresses' })),
    ifMay('api:transaction:read', () => count(COUNT_TRANSACTIONS, TRANSACTION_STATUSES)),
    ifMay('api:notification_channel:read', () => count(COUNT_CHANNELS, CHANNEL_STATUSES)),
    ifMay('api:delivery:read', () => count(COUNT_DELIVERIES, deliveryStatusSchema.options)),
    readEvents(sql, projectId),
  ]);
  return { address_count, transactions, channels, deliveries, events };
}

const keptTotals = (scope: string, list: string, status: string): string =>
  `SELECT ${status} AS status, sum(count)::bigint AS count FROM (
     SELECT key, count FROM list_counts WHERE ${scope} AND list = '${list}'
     UNION ALL SELECT key, count FROM list_changes WHERE ${scope} AND list = '${list}') l GROUP BY 1`;

const COUNT_TRANSACTIONS = keptTotals('scope = $1', 'transactions', 'key[2]');
const COUNT_DELIVERIES = keptTotals(
  'scope = ANY (ARRAY (SELECT id FROM notification_channels WHERE project_id = $1))',
  'deliveries',
  'key[1]',
);
const COUNT_CHANNELS = `SELECT CASE WHEN is_archived THEN 'archived' ELSE status END AS status, count(*) AS count
  FROM notification_channels WHERE project_id = $1 GROUP BY 1`;

function toCounts<S extends string>(statuses: readonly S[], rows: readonly CountRow[]): Record<S, number> {
  const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
  return Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])) as Record<S, number>;
}

/** The newest events of each type, along the index of types; where one is cut off, minutes before its last are left out. */
async function readEvents(sql: Sql, projectId: string): Promise<Stats['events']> {
  const { rows } = await sql.query<{ since: Date; at: Date | null; count: number }>(
    `WITH hour AS (SELECT date_trunc('minute', now() - interval '59 minutes') AS begun),
     newest AS MATERIALIZED (
       SELECT t.type, e.created_at FROM unnest($2::text[]) AS t (type), hour, LATERAL (
         SELECT created_at FROM event_log WHERE project_id = $1 AND type = t.type AND NOT is_held AND subject_kind <> 'test' AND created_at >= hour.begun
         ORDER BY created_at DESC, id DESC LIMIT $3) e),
     cut AS (SELECT date_trunc('minute', min(created_at)) + interval '1 minute' AS at FROM newest GROUP BY type HAVING count(*) = $3),
     complete AS (SELECT greatest(hour.begun, (SELECT max(at) FROM cut)) AS since FROM hour)
     SELECT complete.since, date_trunc('minute', n.created_at) AS at, count(n.created_at) AS count
     FROM complete LEFT JOIN newest n ON n.created_at >= complete.since GROUP BY 1, 2 ORDER BY 2`,
    [projectId, EVENT_TYPES, EVENTS_MAX],
  );
  return {
    since: rows[0]!.since.toISOString(),
    minutes: rows.flatMap(({ at, count }) => (at === null ? [] : [{ at: at.toISOString(), count }])),
  };
}
