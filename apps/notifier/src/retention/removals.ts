// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

export interface RemovalPage {
  /** Where the page before ended; undefined for the first. */
  readonly after: string | undefined;
  /** What is older goes. */
  readonly before: Date;
  /** Rows that are looked at. */
  readonly limit: number;
}

export interface Removed {
  readonly count: number;
  /** Where the next page begins; undefined: nothing old is left. */
  readonly next: string | undefined;
}

/** One statement that removes at most a page of rows. It waits for nobody's locks but those of the rows themselves. */
type Removal = (sql: Sql, page: RemovalPage) => Promise<Removed>;

/** What is not kept for ever, in the order in which it goes: an event stays as long as somebody has still to get it. */
export const REMOVALS = {
  deliveries: (sql, page) => removePage(sql, REMOVE_DELIVERIES, page),
  events: removeEvents,
  audit: (sql, page) => removePage(sql, REMOVE_AUDIT_LOGS, page),
  activity: removeActivity,
} as const satisfies Record<string, Removal>;
export type RemovedKind = keyof typeof REMOVALS;

/** Ids begin with their time (UUIDv7). Attempts go with their delivery. */
const REMOVE_DELIVERIES = `
  WITH page AS MATERIALIZED (
    SELECT id, created_at FROM deliveries WHERE id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY id LIMIT $3::integer),
  gone AS (
    DELETE FROM deliveries d USING page p
    WHERE d.id = p.id AND p.created_at < $2 AND d.status NOT IN ('pending', 'held') RETURNING 1)
  SELECT (SELECT count(*) FROM gone) AS count,
    CASE WHEN (SELECT count(*) = $3::integer AND min(created_at) < $2 FROM page)
      THEN (SELECT id::text FROM page ORDER BY id DESC LIMIT 1) END AS next`;

/**
 * Of the first partition, which is days old when it becomes one; later ones go whole (keep-event-days.ts). Rows are in the
 * order of their time, but for moments. Their positions go by trigger (prisma/sql/queue_events.sql), their keys stay.
 */
const REMOVE_EVENTS = `
  WITH page AS MATERIALIZED (
    SELECT id, created_at FROM events WHERE id > coalesce($1::bigint, 0) ORDER BY id LIMIT $3::integer),
  gone AS (
    DELETE FROM events e USING page p
    WHERE e.id = p.id AND p.created_at < $2 AND NOT e.is_held
      AND NOT EXISTS (SELECT FROM undispatched_events u WHERE u.event_row_id = e.id)
      AND NOT EXISTS (SELECT FROM unpublished_events u WHERE u.event_row_id = e.id)
      AND NOT EXISTS (
        SELECT FROM notification_channels c JOIN deliveries d ON d.channel_id = c.id AND d.event_id = e.event_id
        WHERE c.project_id = e.project_id AND d.status IN ('pending', 'held'))
    RETURNING 1)
  SELECT (SELECT count(*) FROM gone) AS count,
    CASE WHEN (SELECT count(*) = $3::integer AND min(created_at) < $2 FROM page)
      THEN (SELECT max(id)::text FROM page) END AS next`;

/** By workspace, as their index is. All that is found goes, so that the next page is again the first. */
const REMOVE_AUDIT_LOGS = `
  WITH page AS MATERIALIZED (
    SELECT a.id FROM workspaces w CROSS JOIN LATERAL (
      SELECT id FROM audit_logs WHERE workspace_id = w.id AND created_at < $2 ORDER BY created_at, id LIMIT $3::integer) a
    WHERE $1::text IS NULL OR $1::text = 'more' LIMIT $3::integer),
  gone AS (DELETE FROM audit_logs l USING page p WHERE l.id = p.id RETURNING 1)
  SELECT (SELECT count(*) FROM gone) AS count,
    CASE WHEN (SELECT count(*) = $3::integer FROM page) THEN 'more' END AS next`;

/** What charts show: hours as old as that, and minutes that are two days old. */
async function removeActivity(sql: Sql, { before, limit }: RemovalPage): Promise<Removed> {
  const { rowCount } = await sql.query(
    `DELETE FROM channel_activity WHERE ctid = ANY (ARRAY (
       SELECT ctid FROM channel_activity WHERE minutes = 60 AND at < $1 OR minutes = 1 AND at < $1::timestamptz + interval '29 days' LIMIT $2))`,
    [before, limit],
  );
  return { count: rowCount ?? 0, next: rowCount === limit ? 'more' : undefined };
}

/** Nothing once the first partition is gone. */
async function removeEvents(sql: Sql, page: RemovalPage): Promise<Removed> {
  const { rows } = await sql.query<{ is_there: boolean }>(
    `SELECT to_regclass('events') IS NOT NULL AS is_there`,
  );
  return rows[0]!.is_there ? removePage(sql, REMOVE_EVENTS, page) : { count: 0, next: undefined };
}

async function removePage(sql: Sql, text: string, { after, before, limit }: RemovalPage): Promise<Removed> {
  const { rows } = await sql.query<{ count: number; next: string | null }>(text, [
    after ?? null,
    before,
    limit,
  ]);
  const { count, next } = rows[0]!;
  return { count: Number(count), next: next ?? undefined };
}
