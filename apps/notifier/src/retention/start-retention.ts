// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Sql } from '@chainwatch/data/db';
import { ShareSupervisor, type ShareTiming } from '@chainwatch/data/ownership';
import { counter, gauge, type Logger, type WorkerHealth } from '@chainwatch/platform/telemetry';
import { forgetEventDays, keepEventDays } from './keep-event-days.ts';

/** How long each kind is kept, in milliseconds. */
export type Retention = Readonly<Record<RemovedKind, number>>;

const DAY_MS = 86_400_000;
export const DEFAULT_RETENTION: Retention = {
  events: 30 * DAY_MS,
  deliveries: 30 * DAY_MS,
  audit: 400 * DAY_MS,
  activity: 31 * DAY_MS,
};
/** Held deliveries live 14 days, and their events at least as long. */
export const RETENTION_MIN_MS = 15 * DAY_MS;

export interface RetentionDeps {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly retention: Retention;
  readonly health?: { readonly days: WorkerHealth; readonly rows: WorkerHealth };
  readonly now?: () => number;
  /** Between the ends and beginnings of two passes. */
  readonly intervalMs?: number;
  readonly timing?: Partial<ShareTiming> | undefined;
}

const INTERVAL_MS = 600_000;
const PAGE_ROWS = 500;
/** Between two pages, so that what is urgent finds the disk idle: still 10,000 rows a second. */
const PAUSE_MS = 20;

const removed = counter('chainwatch_retention_removed_total', {
  description: 'Rows that were older than their retention and went, by kind.',
});
const finishedAt = gauge('chainwatch_retention_finished_timestamp_seconds', {
  description: 'When the last pass that removed what was old ended, by kind.',
});

/**
 * Removes what is older than its retention, on one replica (row of `owners`, kind `retention`). Nobody waits for it: each
 * statement removes some rows that nobody uses any more. @returns stop
 */
export function startRetention(deps: RetentionDeps): () => Promise<void> {
  const { db, logger, timing, intervalMs = INTERVAL_MS } = deps;
  const supervisor = new ShareSupervisor({
    db,
    kind: 'retention',
    logger,
    listShares: () => Promise.resolve(new Map([['all', 'all']])),
    work: async ({ signal }) => {
      const repeat = async (pass: () => Promise<void>): Promise<void> => {
        while (!signal.aborted) {
          await pass();
          await delay(intervalMs, undefined, { signal }).catch(() => undefined);
        }
      };
      // A day begins in time, however many rows are removed meanwhile.
      await Promise.all([
        repeat(() => keepDays(deps)),
        repeat(async () => {
          let isDone = true;
          for (const kind of Object.keys(REMOVALS) as RemovedKind[])
            isDone = (await removeKind(deps, kind, signal)) && isDone;
          if (isDone) deps.health?.rows.succeed();
        }),
      ]);
      for (const kind of Object.keys(REMOVALS)) finishedAt.forget({ kind });
      forgetEventDays();
    },
    timing,
  });
  return () => supervisor.stop();
}

/** Never rejects: what is left is done by the next pass. */
async function keepDays(deps: RetentionDeps): Promise<void> {
  const { db, logger, retention, health } = deps;
  try {
    await keepEventDays({ db, logger, retentionMs: retention.events, nowMs: await readNow(deps) });
    health?.days.succeed();
  } catch (err) {
    health?.days.fail('failed to maintain event partitions');
    logger.warn({ err }, 'failed to maintain event partitions');
  }
}

/** The earlier of two clocks: what goes is too old by the database's and by this process's, so no clock that jumped decides. */
async function readNow({ db, now = Date.now }: RetentionDeps): Promise<number> {
  const { rows } = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return Math.min(now(), rows[0]!.now.getTime());
}

/** Whether all went. Never rejects: what is left is removed by the next pass. */
async function removeKind(deps: RetentionDeps, kind: RemovedKind, signal: AbortSignal): Promise<boolean> {
  const { db, logger, retention, health } = deps;
  let after: string | undefined;
  let count = 0;
  try {
    const before = new Date((await readNow(deps)) - retention[kind]);
    do {
      const page = await REMOVALS[kind](db, { after, before, limit: PAGE_ROWS });
      removed.add(page.count, { kind });
      count += page.count;
      after = page.next;
      if (after !== undefined) await delay(PAUSE_MS);
    } while (after !== undefined && !signal.aborted);
    finishedAt.set(Date.now() / 1_000, { kind });
    if (count > 0) logger.info({ kind, count, before }, 'rows older than their retention were removed');
    return true;
  } catch (err) {
    health?.rows.fail(`failed to remove expired ${kind}`);
    logger.warn({ err, kind }, 'failed to remove expired rows');
    return false;
  }
}

interface RemovalPage {
  /** Where the page before ended; undefined for the first. */
  readonly after: string | undefined;
  /** What is older goes. */
  readonly before: Date;
  /** Rows that are looked at. */
  readonly limit: number;
}

interface Removed {
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
