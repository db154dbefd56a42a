import type { Sql } from '@chainwatch/db';
import { CHANNEL_VERSION } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';

export interface NewDelivery {
  readonly id: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Held: it waits in the database for its channel. */
  readonly status: 'pending' | 'held';
}

export interface KnownEvent {
  readonly eventId: string;
  readonly projectId: string;
  readonly type: string;
}

/** What is expected of all channels of a project. */
export interface KnownProject {
  readonly projectId: string;
  readonly versions: readonly { readonly id: string; readonly version: string }[];
}

export interface KnownRow {
  readonly id: number;
  readonly event_id: string;
  readonly payload: string;
  readonly traceparent: string | null;
  /** Ids of the deliveries that were new. */
  readonly inserted: readonly string[];
}

interface ClaimedRow {
  readonly id: string;
  readonly channel_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly attempt_count: number;
  readonly attempt_base: number;
  readonly is_test: boolean;
  readonly due_at: Date;
  readonly is_open: boolean;
}

/**
 * The deliveries table as a queue. Whoever takes a pending row moves `next_attempt_at` forward by the visibility first;
 * when it dies, the row is due again then.
 */
export function createDeliveryStore(db: Sql, planned: Sql, visibilityMs: number) {
  return {
    /**
     * Inserts what is not there yet, and tells the ids that were new. Nobody waits for the disk: in the
     * log these rows stand before the mark that their events were dispatched and before what comes of their attempts, so
     * that a server which crashes never has one without the other.
     */
    async insert(deliveries: readonly NewDelivery[]): Promise<Set<string>> {
      if (deliveries.length === 0) return new Set();
      const { rows } = await planned.query<{ id: string }>({
        name: 'insert_deliveries',
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
         INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
         SELECT u.*, now() + $7 * interval '1 ms'
         FROM relaxed, unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[]) AS u (id, project_id, channel_id, event_id, event_type, status)
         WHERE EXISTS (SELECT 1 FROM notification_channels c WHERE c.id = u.channel_id)
         ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id`,
        values: [
          ...columns(deliveries, ['id', 'projectId', 'channelId', 'eventId', 'eventType', 'status']),
          visibilityMs,
        ],
      });
      return new Set(rows.map(({ id }) => id));
    },

    /**
     * `insert` of the deliveries of some events, and a look at these, in one statement. An event that is not there to be
     * dispatched, is of another type, or whose project has other channels by now is not among the rows, and nothing was
     * inserted for it.
     */
    async insertKnown(
      deliveries: readonly NewDelivery[],
      events: readonly KnownEvent[],
      projects: readonly KnownProject[],
    ): Promise<KnownRow[]> {
      const { rows } = await planned.query<KnownRow>({
        name: 'insert_known_deliveries',
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
         same AS MATERIALIZED (
           SELECT p.project_id FROM unnest($4::uuid[], $5::int[]) AS p (project_id, channel_count)
           WHERE (SELECT count(*) = p.channel_count AND coalesce(bool_and(coalesce(${CHANNEL_VERSION} = k.version, false)), true)
                  FROM notification_channels c LEFT JOIN unnest($6::uuid[], $7::text[]) AS k (id, version) ON k.id = c.id WHERE c.project_id = p.project_id)),
         e AS MATERIALIZED (
           SELECT found.* FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS asked (event_id, project_id, type)
           CROSS JOIN LATERAL (
             SELECT id, event_id, project_id, type, payload, traceparent FROM events
             WHERE event_id = asked.event_id AND project_id = asked.project_id AND type = asked.type AND NOT is_held
               AND (SELECT true FROM undispatched_events u WHERE u.event_row_id = events.id) OFFSET 0) found
           WHERE asked.project_id IN (SELECT project_id FROM same)),
         inserted AS (
           INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
           SELECT d.id, e.project_id, d.channel_id, e.event_id, e.type, d.status, now() + $12 * interval '1 ms'
           FROM relaxed, e JOIN unnest($8::uuid[], $9::uuid[], $10::uuid[], $11::text[]) AS d (id, channel_id, event_id, status) ON d.event_id = e.event_id
           ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id, event_id)
         SELECT e.id, e.event_id, e.payload, e.traceparent, ARRAY(SELECT i.id::text FROM inserted i WHERE i.event_id = e.event_id) AS inserted FROM e`,
        values: [
          ...columns(events, ['eventId', 'projectId', 'type']),
          projects.map(({ projectId }) => projectId),
          projects.map(({ versions }) => versions.length),
          ...columns(
            projects.flatMap(({ versions }) => versions),
            ['id', 'version'],
          ),
          ...columns(deliveries, ['id', 'channelId', 'eventId', 'status']),
          visibilityMs,
        ],
      });
      return rows;
    },

    /** Takes due deliveries of open channels; those of other channels become held on the way, so that nobody looks at them again. */
    async claimDue(
      limit: number,
      excludedChannelIds: readonly string[],
      partitions?: readonly string[],
    ): Promise<{ jobs: DeliveryJob[]; parkedCount: number }> {
      const { rows } = await db.query<ClaimedRow>(
        `WITH due AS (
           SELECT d.id, d.next_attempt_at AS due_at, (d.is_test OR (c.status = 'active' AND NOT c.is_archived)) AS is_open
           FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id
           WHERE d.status = 'pending' AND d.next_attempt_at <= now() AND d.channel_id <> ALL($2::uuid[]) AND ${inPartitions('d.channel_id', 4)}
           ORDER BY d.next_attempt_at, d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
         UPDATE deliveries d SET updated_at = now(),
           status = CASE WHEN due.is_open THEN 'pending' ELSE 'held' END,
           next_attempt_at = CASE WHEN due.is_open THEN now() + $3 * interval '1 ms' ELSE d.next_attempt_at END
         FROM due, events e WHERE d.id = due.id AND e.event_id = d.event_id
         RETURNING d.id, d.channel_id, d.event_id, d.event_type, e.payload, e.traceparent, d.attempt_count, d.attempt_base, d.is_test, due.due_at, due.is_open`,
        [limit, excludedChannelIds, visibilityMs, partitions ?? null],
      );
      const open = rows.filter((row) => row.is_open);
      return { jobs: toJobs(open, false), parkedCount: rows.length - open.length };
    },

    /** Takes held deliveries of one channel in event order, when the channel is open; the probe is one of a failing channel. */
    async claimParked(channelId: string, limit: number, isProbe: boolean): Promise<DeliveryJob[]> {
      const { rows } = await db.query<ClaimedRow>(
        `WITH next AS (
           SELECT d.id, d.next_attempt_at AS due_at FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id
           WHERE d.channel_id = $1 AND d.status = 'held' AND c.status = $4 AND NOT c.is_archived
           ORDER BY d.id LIMIT $2 FOR UPDATE OF d SKIP LOCKED)
         UPDATE deliveries d SET status = 'pending', next_attempt_at = now() + $3 * interval '1 ms', updated_at = now()
         FROM next, events e WHERE d.id = next.id AND e.event_id = d.event_id
         RETURNING d.id, d.channel_id, d.event_id, d.event_type, e.payload, e.traceparent, d.attempt_count, d.attempt_base, d.is_test, next.due_at, true AS is_open`,
        [channelId, limit, visibilityMs, isProbe ? 'failing' : 'active'],
      );
      return toJobs(rows, isProbe);
    },

    /** Puts due rows of a channel whose queue is full behind its held ones, out of the way of other channels. */
    async parkDue(channelId: string): Promise<void> {
      await db.query(
        `UPDATE deliveries SET status = 'held', updated_at = now() WHERE id IN (
           SELECT id FROM deliveries WHERE channel_id = $1 AND status = 'pending' AND NOT is_test AND next_attempt_at <= now() LIMIT 20000 FOR UPDATE SKIP LOCKED)`,
        [channelId],
      );
    },

    /** Open channels that have held deliveries: after a restore, a recovery or an overflow. */
    async listBacklogs(partitions?: readonly string[]): Promise<string[]> {
      const { rows } = await db.query<{ id: string }>(
        `SELECT c.id FROM notification_channels c WHERE c.status = 'active' AND NOT c.is_archived AND ${inPartitions('c.id', 1)}
           AND EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = c.id AND d.status = 'held')`,
        [partitions ?? null],
      );
      return rows.map(({ id }) => id);
    },

    /** Takes the failing channels whose probe is due. */
    async claimProbes(intervalMs: number, partitions?: readonly string[]): Promise<string[]> {
      const { rows } = await db.query<{ id: string }>(
        `UPDATE notification_channels SET probe_at = now() + $1 * interval '1 ms' WHERE id IN (
           SELECT id FROM notification_channels c
           WHERE c.status = 'failing' AND NOT c.is_archived AND (c.probe_at IS NULL OR c.probe_at <= now()) AND ${inPartitions('c.id', 2)}
             AND EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = c.id AND d.status = 'held')
           LIMIT 200 FOR UPDATE SKIP LOCKED)
         RETURNING id`,
        [intervalMs, partitions ?? null],
      );
      return rows.map(({ id }) => id);
    },

    /** Still in memory here: nobody else takes them. */
    async extend(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db.query(
        `UPDATE deliveries SET next_attempt_at = now() + $2 * interval '1 ms' WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
        [ids, visibilityMs],
      );
    },

    /** Given back untried, due now or later. */
    async giveBack(ids: readonly string[], delayMs: number): Promise<void> {
      if (ids.length === 0) return;
      await db.query(
        `UPDATE deliveries SET next_attempt_at = now() + $2 * interval '1 ms' WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
        [ids, delayMs],
      );
    },

    /** Held events are kept for 14 days (decisions.md §5). */
    async discardExpired(): Promise<number> {
      const { rowCount } = await db.query(
        `UPDATE deliveries SET status = 'discarded', updated_at = now() WHERE id IN (
           SELECT id FROM deliveries WHERE status = 'held' AND created_at < now() - interval '14 days' LIMIT 10000 FOR UPDATE SKIP LOCKED)`,
      );
      return rowCount ?? 0;
    },

    /** What is closed is shown for 30 days, with its attempts. Ids begin with their time (UUIDv7), so the oldest come first. */
    async deleteOld(): Promise<number> {
      const { rowCount } = await db.query(
        `DELETE FROM deliveries WHERE id IN (
           SELECT id FROM (SELECT id, status, created_at FROM deliveries ORDER BY id LIMIT 1000) oldest
           WHERE status NOT IN ('pending', 'held') AND created_at < now() - interval '30 days')`,
      );
      return rowCount ?? 0;
    },
  };
}

/** The channels that this replica looks after, by the first byte of their id; null: all of them. */
function inPartitions(column: string, parameter: number): string {
  return `($${parameter}::text[] IS NULL OR left(${column}::text, 2) = ANY($${parameter}))`;
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

function columns<T>(rows: readonly T[], keys: readonly (keyof T)[]): T[keyof T][][] {
  return keys.map((key) => rows.map((row) => row[key]));
}

// UPDATE … RETURNING has no order of its own; ids are in event order.
function toJobs(rows: readonly ClaimedRow[], isProbe: boolean): DeliveryJob[] {
  return rows
    .map((row) => ({
      id: row.id,
      channelId: row.channel_id,
      eventId: row.event_id,
      eventType: row.event_type,
      payload: row.payload,
      traceparent: row.traceparent ?? undefined,
      attemptCount: row.attempt_count - row.attempt_base,
      isFirst: row.attempt_count === 0,
      dueAt: row.due_at,
      isProbe,
      isTest: row.is_test,
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}
