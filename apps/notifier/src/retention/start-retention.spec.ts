// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startTelemetry } from '@chainwatch/platform/telemetry';
import { readMetrics, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { readConfig } from '../config.ts';
import {
  DEFAULT_RETENTION,
  startRetention,
  type RetentionDeps,
  REMOVALS,
  type RemovedKind,
} from './start-retention.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const daysAgo = (days: number): Date => new Date(NOW - days * DAY_MS);
const timing = { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 };

let postgres: PostgresHandle;
let db: Database;
let projectId: string;
let channelId: string;
let workspaceId: string;
const warned: unknown[] = [];
const logger = {
  info: () => undefined,
  warn: (fields: object) => void warned.push(fields),
  error: () => undefined,
};

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.stop());
beforeEach(async () => {
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  const { rows } = await db.query<{ workspace: string; project: string; channel: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id),
       p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id),
       c AS (INSERT INTO notification_channels (project_id, kind, name, config) SELECT id, 'webhook', 'c', '{}' FROM p RETURNING id)
     SELECT w.id AS workspace, p.id AS project, c.id AS channel FROM w, p, c`,
  );
  [workspaceId, projectId, channelId] = [rows[0]!.workspace, rows[0]!.project, rows[0]!.channel];
});
afterEach(() => db.close());

const count = async (table: string): Promise<number> =>
  Number((await db.query<{ count: string }>(`SELECT count(*) AS count FROM ${table}`)).rows[0]!.count);

/** Events of the first partition that were sent, one each `stepMs` from `from` on, with positions. */
async function insertEvents(rows: number, from: Date, stepMs = 0): Promise<string[]> {
  const { rows: inserted } = await db.query<{ event_id: string }>(
    `INSERT INTO events (id, event_id, project_id, type, sequence, subject_kind, payload, created_at)
     SELECT coalesce(last, 0) + n, gen_random_uuid(), $1, 'transaction.detected', n, 'tx.detected', '{}', $2::timestamptz + n * $3::double precision * interval '1 ms'
     FROM (SELECT max(id) AS last FROM events) e, generate_series(1, $4) n RETURNING event_id`,
    [projectId, from, stepMs, rows],
  );
  await db.query('DELETE FROM undispatched_events');
  await db.query('DELETE FROM unpublished_events');
  await db.query(
    `WITH gone AS (DELETE FROM unpositioned_events RETURNING event_row_id)
     INSERT INTO event_positions (project_id, position, event_row_id) SELECT $1, event_row_id, event_row_id FROM gone`,
    [projectId],
  );
  return inserted.map(({ event_id: id }) => id);
}

/** UUIDv7 ids of their time, an attempt each. */
async function insertDelivery(eventId: string, at: Date, status = 'delivered'): Promise<void> {
  const head = at.getTime().toString(16).padStart(12, '0');
  const id = `${head.slice(0, 8)}-${head.slice(8)}-7${randomUUID().slice(15)}`;
  await db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, created_at)
     VALUES ($1, $2, $3, $4, 'transaction.detected', $5, $6)`,
    [id, projectId, channelId, eventId, status, at],
  );
  await db.query(
    `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, request) VALUES ($1, $2, 1, $3, 1, '{}')`,
    [randomUUID(), id, at],
  );
}

const insertAudit = (rows: number, at: Date): Promise<unknown> =>
  db.query(
    `INSERT INTO audit_logs (workspace_id, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id, created_at)
     SELECT $1, gen_random_uuid(), 'a', 'm', 'key.create', 'key', gen_random_uuid(), '{}', 'r', $2 FROM generate_series(1, $3)`,
    [workspaceId, at, rows],
  );

/** A whole pass at a time. */
async function removeAt(now: number, more: Partial<RetentionDeps> = {}): Promise<void> {
  for (const kind of Object.keys(REMOVALS) as RemovedKind[]) {
    let after: string | undefined;
    do {
      const before = new Date(now - (more.retention ?? DEFAULT_RETENTION)[kind]);
      after = (await REMOVALS[kind](db, { after, before, limit: 7 })).next;
    } while (after !== undefined);
  }
}

test('minutes of charts go after two days, and hours after 31', async () => {
  await db.query(
    `INSERT INTO channel_activity SELECT $1, minutes, $2::timestamptz - days * interval '1 day', 1, 0, 1, '{}'
     FROM unnest(ARRAY[1, 60]) AS minutes, unnest(ARRAY[0, 1.9, 2.1, 30.9, 31.1]) AS days`,
    [channelId, new Date(NOW)],
  );
  await removeAt(NOW);
  const { rows } = await db.query<{ minutes: number; days: number }>(
    `SELECT minutes, (extract(epoch FROM $1 - at) / 86400)::float AS days FROM channel_activity ORDER BY at DESC`,
    [new Date(NOW)],
  );
  const daysOf = (wanted: number) => rows.filter(({ minutes }) => minutes === wanted).map(({ days }) => days);
  expect([daysOf(1), daysOf(60)]).toEqual([
    [0, 1.9],
    [0, 1.9, 2.1, 30.9],
  ]);
});

test('what is older than its retention goes as the clock moves, with what belongs to it, and nothing else', async () => {
  const ids = await insertEvents(50, daysAgo(31), DAY_MS);
  for (const [index, id] of ids.slice(0, 40).entries()) await insertDelivery(id, daysAgo(30 - index * 0.5));
  await insertAudit(20, daysAgo(399));
  await insertAudit(20, daysAgo(10));

  await removeAt(NOW);
  expect([await count('events'), await count('event_positions'), await count('audit_logs')]).toEqual([
    50, 50, 40,
  ]);
  expect(await count('deliveries')).toBe(40);

  await removeAt(NOW + 5.5 * DAY_MS);
  expect([await count('events'), await count('event_positions')]).toEqual([44, 44]);
  expect([await count('deliveries'), await count('delivery_attempts')]).toEqual([29, 29]);
  expect(await count('audit_logs')).toBe(20);
  const { rows } = await db.query<{ oldest: Date }>('SELECT min(created_at) AS oldest FROM events');
  expect(rows[0]!.oldest.getTime()).toBeGreaterThanOrEqual(daysAgo(30 - 5.5).getTime());

  await removeAt(NOW + 1_000 * DAY_MS);
  for (const table of ['events', 'event_positions', 'deliveries', 'delivery_attempts', 'audit_logs'])
    expect([table, await count(table)]).toEqual([table, 0]);
});

test('an event stays while somebody has still to get it, whatever its age', async () => {
  const [pending, held, sent, recovering] = await insertEvents(4, daysAgo(40));
  await insertDelivery(pending!, daysAgo(40), 'pending');
  await insertDelivery(held!, daysAgo(40), 'held');
  await insertDelivery(sent!, daysAgo(40));
  await db.query('UPDATE events SET is_held = true WHERE event_id = $1', [recovering]);
  // Neither published nor dispatched yet.
  await db.query(
    `INSERT INTO events (id, event_id, project_id, type, sequence, subject_kind, payload, created_at)
     VALUES (1000, gen_random_uuid(), $1, 'transaction.detected', 9, 'tx.detected', '{}', $2)`,
    [projectId, daysAgo(40)],
  );
  await removeAt(NOW);
  const { rows } = await db.query<{ event_id: string }>('SELECT event_id FROM events');
  expect(rows).toHaveLength(4);
  expect(rows.map(({ event_id: id }) => id)).toEqual(expect.arrayContaining([pending, held, recovering]));
  expect((await db.query('SELECT event_id FROM deliveries')).rows).toHaveLength(2);
  await db.query(`UPDATE deliveries SET status = 'delivered'`);
  await removeAt(NOW);
  expect([await count('events'), await count('deliveries')]).toEqual([2, 0]);
});

test('rows that must stay do not hide those behind them', async () => {
  const ids = await insertEvents(40, daysAgo(50), 1);
  for (const id of ids.slice(0, 30)) await insertDelivery(id, daysAgo(50), 'pending');
  for (const id of ids.slice(30)) await insertDelivery(id, daysAgo(45));
  await removeAt(NOW);
  expect([await count('deliveries'), await count('events')]).toEqual([30, 30]);
});

test('a running transaction on an old row, and a writer of new ones, are not waited for by others', async () => {
  await insertEvents(10, daysAgo(40));
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const removing = db.transaction(async (sql) => {
    await REMOVALS.events(sql, { after: undefined, before: daysAgo(30), limit: 100 });
    await released;
  });
  await waitFor(
    async () =>
      (await db.query(`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'`)).rowCount === 1,
  );
  await db.transaction(async (sql) => {
    await sql.query(`SET LOCAL lock_timeout = '100ms'`);
    await sql.query(
      `INSERT INTO events (id, event_id, project_id, type, sequence, subject_kind, payload) VALUES (1000, gen_random_uuid(), $1, 't', 1, 'tx.detected', '{}')`,
      [projectId],
    );
    await sql.query('SELECT count(*) FROM events JOIN event_positions ON event_row_id = events.id');
  });
  release();
  await removing;
  expect(await count('events')).toBe(1);
});

test('one replica of several removes, and another goes on when it stops', async () => {
  await insertEvents(20, daysAgo(40));
  const start = (): (() => Promise<void>) =>
    startRetention({ db, logger, retention: DEFAULT_RETENTION, now: () => NOW, intervalMs: 50, timing });
  const stops = [start(), start()];
  await waitFor(async () => (await count('events')) === 0);
  expect(await count(`owners WHERE kind = 'retention'`)).toBe(1);
  await stops.shift()!();
  await insertEvents(20, daysAgo(40));
  await waitFor(async () => (await count('events')) === 0);
  await stops.shift()!();
  expect(warned).toEqual([]);
});

test('removes nothing because the clock of its machine has jumped', async () => {
  const yesterday = new Date(Date.now() - DAY_MS);
  await insertEvents(20, yesterday);
  await insertAudit(5, yesterday);
  let reads = 0;
  const stop = startRetention({
    ...{ db, logger, retention: DEFAULT_RETENTION, intervalMs: 10, timing },
    now: () => {
      reads += 1;
      return Date.now() + 500 * DAY_MS;
    },
  });
  await waitFor(() => reads >= 20, { message: 'passes over all kinds' });
  await stop();
  expect([await count('events'), await count('audit_logs')]).toEqual([20, 5]);
});

test('tells what it removed, when a pass ended and where the days of events stand, as long as it is the one that does', async () => {
  const telemetry = await startTelemetry({ serviceName: 'spec' });
  const read = async (name: string): Promise<number | undefined> =>
    (await readMetrics(telemetry.handleMetrics)).get(`chainwatch_${name}`);
  await insertEvents(3, daysAgo(40));
  await insertAudit(2, daysAgo(401));
  const startedAt = Date.now() / 1_000;
  const stop = startRetention({ db, logger, retention: DEFAULT_RETENTION, now: () => NOW, timing });
  const finished = Object.keys(REMOVALS).map(
    (kind) => `retention_finished_timestamp_seconds{kind="${kind}"}`,
  );
  await waitFor(
    async () =>
      (await read(finished.at(-1)!)) !== undefined && (await read('event_days_ahead')) !== undefined,
  );
  for (const name of finished) expect(await read(name)).toBeGreaterThanOrEqual(startedAt);
  expect(await read('retention_removed_total{kind="events"}')).toBe(3);
  expect(await read('retention_removed_total{kind="audit"}')).toBe(2);
  const { rows } = await db.query<{ at: Date; ahead: number }>(
    `SELECT max(began_at) AS at, count(*) FILTER (WHERE began_at IS NULL) AS ahead FROM event_partitions`,
  );
  expect(await read('event_day_began_timestamp_seconds')).toBe(rows[0]!.at.getTime() / 1_000);
  expect(await read('event_days_ahead')).toBe(Number(rows[0]!.ahead));
  await stop();
  for (const name of [...finished, 'event_day_began_timestamp_seconds', 'event_days_ahead'])
    expect([name, await read(name)]).toEqual([name, undefined]);
  await telemetry.stop();
});

test('less than 15 days is refused at start', () => {
  const env = {
    DATABASE_URL: 'postgres://localhost/x',
    SECRETS_KEYS: `k:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const config = readConfig({ ...env, RETENTION_EVENTS: '15d' });
  expect([config.RETENTION_EVENTS, config.RETENTION_DELIVERIES, config.RETENTION_AUDIT]).toEqual(
    [15, 30, 400].map((days) => days * DAY_MS),
  );
  for (const name of ['RETENTION_EVENTS', 'RETENTION_DELIVERIES', 'RETENTION_AUDIT'])
    expect(() => readConfig({ ...env, [name]: '359h' })).toThrow(/15d/);
});
