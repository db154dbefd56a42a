import type { Sql } from '@chainwatch/db';
import { CHANNEL_VERSION } from '../channel-store.ts';
import type { NewDelivery } from './insert-deliveries.ts';
import { toColumns } from './to-columns.ts';

export interface KnownEvent {
  readonly eventId: string;
  readonly projectId: string;
  readonly type: string;
}

/** The channels of a project, and what is expected of them. */
export interface KnownProject {
  readonly projectId: string;
  readonly versions: readonly { readonly id: string; readonly version: string }[];
}

/** An event that was as expected, with the ids of its deliveries that were new. */
export interface KnownRow {
  readonly id: number;
  readonly event_id: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly created_at: Date;
  readonly inserted: readonly string[];
}

export interface KnownDeliveries {
  readonly deliveries: readonly NewDelivery[];
  readonly events: readonly KnownEvent[];
  readonly projects: readonly KnownProject[];
  /** Events with a lower row id are not looked for: days of long ago are not even opened. */
  readonly fromRow: number;
}

/**
 * Checks events and channels and inserts the deliveries (`insertDeliveries`) in one statement. Events that
 * are not there to be dispatched, have another type, or whose project has other channels by now are not among
 * the rows, and nothing was inserted for them.
 */
export async function insertKnownDeliveries(
  planned: Sql,
  { deliveries, events, projects, fromRow }: KnownDeliveries,
  visibilityMs: number,
): Promise<readonly KnownRow[]> {
  const { rows } = await planned.query<KnownRow>({
    name: 'insert_known_deliveries',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
     same AS MATERIALIZED (
       SELECT p.project_id FROM unnest($4::uuid[], $5::int[]) AS p (project_id, channel_count)
       WHERE (SELECT count(*) = p.channel_count AND coalesce(bool_and(coalesce(${CHANNEL_VERSION} = k.version, false)), true)
              FROM notification_channels c LEFT JOIN unnest($6::uuid[], $7::text[]) AS k (id, version) ON k.id = c.id
              WHERE c.project_id = p.project_id)),
     e AS MATERIALIZED (
       SELECT found.* FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS asked (event_id, project_id, type)
       JOIN event_keys k ON k.event_id = asked.event_id
       CROSS JOIN LATERAL (
         SELECT id, event_id, project_id, type, payload, traceparent, created_at FROM event_log
         WHERE id = k.row_id AND id >= $13 AND project_id = asked.project_id AND type = asked.type AND NOT is_held
           AND (SELECT true FROM undispatched_events u WHERE u.event_row_id = event_log.id) OFFSET 0) found
       WHERE asked.project_id IN (SELECT project_id FROM same)),
     inserted AS (
       INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
       SELECT d.id, e.project_id, d.channel_id, e.event_id, e.type, d.status, now() + $12 * interval '1 ms'
       FROM relaxed, e JOIN unnest($8::uuid[], $9::uuid[], $10::uuid[], $11::text[])
         AS d (id, channel_id, event_id, status) ON d.event_id = e.event_id
       ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id, event_id)
     SELECT e.id, e.event_id, e.payload, e.traceparent, e.created_at,
       ARRAY(SELECT i.id::text FROM inserted i WHERE i.event_id = e.event_id) AS inserted FROM e`,
    values: [
      ...toColumns(events, ['eventId', 'projectId', 'type']),
      projects.map(({ projectId }) => projectId),
      projects.map(({ versions }) => versions.length),
      ...toColumns(
        projects.flatMap(({ versions }) => versions),
        ['id', 'version'],
      ),
      ...toColumns(deliveries, ['id', 'channelId', 'eventId', 'status']),
      visibilityMs,
      fromRow,
    ],
  });
  return rows;
}
