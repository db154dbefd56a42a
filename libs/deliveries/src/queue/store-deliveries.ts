import type { Sql } from '@chainwatch/db';
import { CHANNEL_VERSION } from '../channel-store.ts';

export interface NewDelivery {
  readonly id: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Held: parked in the database until its channel has room for it. */
  readonly status: 'pending' | 'held';
}

/**
 * Inserts the rows that are not there yet. Returns the ids that were new. The commit does not wait for the
 * disk: in the write-ahead log these rows stand before the mark that their events were dispatched and before
 * the outcomes of their attempts, so that a server that crashes never has these without the rows.
 */
export async function insertDeliveries(
  planned: Sql,
  deliveries: readonly NewDelivery[],
  visibilityMs: number,
): Promise<ReadonlySet<string>> {
  if (deliveries.length === 0) return new Set();
  const { rows } = await planned.query<{ id: string }>({
    name: 'insert_deliveries',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
     SELECT u.*, now() + $7 * interval '1 ms'
     FROM relaxed, unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
       AS u (id, project_id, channel_id, event_id, event_type, status)
     WHERE EXISTS (SELECT 1 FROM notification_channels c WHERE c.id = u.channel_id)
     ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id`,
    values: [
      ...toColumns(deliveries, ['id', 'projectId', 'channelId', 'eventId', 'eventType', 'status']),
      visibilityMs,
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Those of the deliveries that are there and claimed: what a statement stored whose answer was lost. */
export async function listStored(
  planned: Sql,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<string>> {
  const { rows } = await planned.query<{ id: string }>({
    name: 'list_stored_deliveries',
    text: `SELECT id FROM deliveries WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
    values: [deliveries.map(({ id }) => id)],
  });
  return new Set(rows.map(({ id }) => id));
}

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

/** An event whose deliveries to these channels, which are all that want it, were stored. */
export interface Completed {
  readonly id: number;
  readonly eventId: string;
  readonly channelIds: readonly string[];
}

/**
 * The commit does not wait for the disk. The mark stands behind the deliveries in the write-ahead log, so it
 * is never there without them. If the server crashed in between and lost the deliveries, no mark is written,
 * and the sweep finds the event.
 */
export async function markDispatched(planned: Sql, completed: readonly Completed[]): Promise<void> {
  const expected = completed.flatMap(({ id, eventId, channelIds }) =>
    channelIds.map((channelId) => ({ id, eventId, channelId })),
  );
  await planned.query({
    name: 'mark_dispatched',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
           missing AS MATERIALIZED (
             SELECT u.id FROM unnest($2::bigint[], $3::uuid[], $4::uuid[]) AS u (id, event_id, channel_id)
             WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = u.channel_id AND d.event_id = u.event_id))
           DELETE FROM undispatched_events u USING relaxed
           WHERE u.event_row_id = ANY($1::bigint[]) AND u.event_row_id NOT IN (SELECT id FROM missing)`,
    values: [
      completed.map(({ id }) => id),
      expected.map(({ id }) => id),
      expected.map(({ eventId }) => eventId),
      expected.map(({ channelId }) => channelId),
    ],
  });
}

/** Rows as the arrays that `unnest` takes. */
export function toColumns<T>(rows: readonly T[], keys: readonly (keyof T)[]): T[keyof T][][] {
  return keys.map((key) => rows.map((row) => row[key]));
}
