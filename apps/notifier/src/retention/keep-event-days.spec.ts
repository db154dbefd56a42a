// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startTelemetry } from '@chainwatch/platform/telemetry';
import { readMetrics, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { keepEventDays } from './keep-event-days.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-06-01T00:00:00.000Z');
const RETENTION_MS = 15 * DAY_MS;
const MINUTE_MS = 60_000;

let postgres: PostgresHandle;
let db: Database;
let projectId: string;
let channelId: string;
const infos: string[] = [];
const logger = { info: (_: object, message: string) => void infos.push(message), warn: () => undefined };

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.stop());
beforeEach(async () => {
  infos.length = 0;
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  const { rows } = await db.query<{ project: string; channel: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id),
       p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id),
       c AS (INSERT INTO notification_channels (project_id, kind, name, config) SELECT id, 'webhook', 'c', '{}' FROM p RETURNING id)
     SELECT p.id AS project, c.id AS channel FROM p, c`,
  );
  [projectId, channelId] = [rows[0]!.project, rows[0]!.channel];
  await db.query(`UPDATE event_partitions SET began_at = $1 WHERE number = 1`, [new Date(START)]);
  await db.query(`UPDATE event_partitions SET began_at = $1 WHERE number = 0`, [new Date(START - DAY_MS)]);
});
afterEach(() => db.close());

const keep = (nowMs: number): Promise<void> =>
  keepEventDays({ db, logger, retentionMs: RETENTION_MS, nowMs });

/** As the job does: one pass closes, a later one drops. */
async function keepOn(nowMs: number, passes = 2): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) await keep(nowMs + pass * 2 * MINUTE_MS);
}

const INSERT = `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, created_at)
  SELECT $1, $2, 'transaction.detected', 1, 'tx.detected', '{}', $3
  WHERE (SELECT true FROM event_keys k WHERE k.event_id = $1) IS NULL ON CONFLICT DO NOTHING RETURNING id`;

async function insertEvent(at: number, eventId: string = randomUUID()): Promise<string> {
  await db.query(INSERT, [eventId, projectId, new Date(at)]);
  return eventId;
}

/** Everybody has got what was inserted. */
async function finish(): Promise<void> {
  await db.query('DELETE FROM undispatched_events');
  await db.query('DELETE FROM unpublished_events');
  await db.query(
    `WITH gone AS (DELETE FROM unpositioned_events RETURNING event_row_id)
     INSERT INTO event_positions (project_id, position, event_row_id) SELECT $1, event_row_id, event_row_id FROM gone ON CONFLICT DO NOTHING`,
    [projectId],
  );
}

const insertDelivery = (eventId: string, status: string): Promise<unknown> =>
  db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, 'transaction.detected', $4)`,
    [projectId, channelId, eventId, status],
  );

const list = async (sql: string): Promise<unknown[]> =>
  (await db.query<{ value: unknown }>(sql)).rows.map(({ value }) => value);
const days = (): Promise<unknown[]> =>
  list('SELECT number AS value FROM event_partitions WHERE began_at IS NOT NULL ORDER BY number');
const tables = (): Promise<unknown[]> =>
  list(
    `SELECT inhrelid::regclass::text AS value FROM pg_inherits WHERE inhparent = 'event_log'::regclass ORDER BY pg_relation_filenode(inhrelid)`,
  );
const eventIds = (): Promise<unknown[]> => list('SELECT event_id AS value FROM event_log ORDER BY id');

/** An event at noon of each day, as days begin. */
async function playDays(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let day = 0; day < count; day += 1) {
    await keep(START + day * DAY_MS + MINUTE_MS);
    ids.push(await insertEvent(START + day * DAY_MS + DAY_MS / 2));
  }
  await finish();
  return ids;
}

test('a day begins at midnight, however often it is looked for, and partitions are there ahead', async () => {
  await keep(START + 5 * MINUTE_MS);
  expect(await days()).toEqual([0, 1]);
  await Promise.allSettled([1, 2, 3].map((minutes) => keep(START + DAY_MS + minutes * MINUTE_MS)));
  await keep(START + DAY_MS + 10 * MINUTE_MS);
  expect(await days()).toEqual([0, 1, 2]);
  expect(
    Number((await list('SELECT count(*) AS value FROM event_partitions WHERE began_at IS NULL'))[0]),
  ).toBeGreaterThanOrEqual(3);
  await insertEvent(START + DAY_MS);
  expect(await list('SELECT tableoid::regclass::text AS value FROM event_log')).toEqual(['event_log_2']);
});

test('the first partition, where services of the release before write, lasts a whole day behind the migration', async () => {
  await db.query('DELETE FROM event_partitions WHERE number = 1');
  await db.query('ALTER TABLE event_log DETACH PARTITION event_log_1');
  await db.query('DROP TABLE event_log_1');
  await db.query(`SELECT setval('event_row_ids', 1, false)`);
  const migratedAt = START - DAY_MS;
  await keep(migratedAt + DAY_MS * 2 - 1);
  expect(await days()).toEqual([0]);
  await keep(migratedAt + DAY_MS * 2);
  expect(await days()).toEqual([0, 1]);
});

test('without a partition ahead the day goes on, and a day with more rows than a partition has flows into the next one', async () => {
  expect(await list('SELECT begin_event_partition(now()) AS value')).toEqual([false]);
  await insertEvent(START);
  await keep(START);
  await db.query(`SELECT setval('event_row_ids', 2 * event_partition_rows() - 1)`);
  await insertEvent(START);
  expect(await list('SELECT id::text AS value FROM event_log ORDER BY id')).toEqual([
    String(2 ** 32),
    String(2 * 2 ** 32),
  ]);
  // The sequence never goes back: the day that begins then is where the rows already are.
  await keep(START + DAY_MS);
  await insertEvent(START + DAY_MS);
  expect(await list('SELECT max(id)::text AS value FROM event_log')).toEqual([String(2 * 2 ** 32 + 1)]);
});

test('as the clock moves the days go whose events are all older than the retention, with their positions, and no others', async () => {
  const ids = await playDays(20);
  expect(await eventIds()).toEqual(ids);
  // The last event of day 3 was made at the end of it at the latest.
  await keepOn(START + 4 * DAY_MS + RETENTION_MS, 5);
  expect(await eventIds()).toEqual(ids.slice(3));
  await keepOn(START + 4 * DAY_MS + RETENTION_MS + 62 * MINUTE_MS, 3);
  expect(await eventIds()).toEqual(ids.slice(4));
  expect(await list('SELECT count(*) AS value FROM event_positions')).toEqual([16]);
  expect(await list('SELECT count(*) AS value FROM event_keys')).toEqual([20]);
  expect(await tables()).not.toContain('event_log_4');
  expect(await list(`SELECT to_regclass('events')::text AS value`)).toEqual([null]);
});

test('days that were dropped are counted', async () => {
  const telemetry = await startTelemetry({ serviceName: 'spec' });
  await playDays(3);
  await keepOn(START + 40 * DAY_MS, 6);
  const drops = infos.filter((message) => message.endsWith('was dropped')).length;
  expect(drops).toBeGreaterThan(0);
  const metrics = await readMetrics(telemetry.handleMetrics);
  expect(metrics.get('chainwatch_event_days_dropped_total')).toBe(drops);
  await telemetry.stop();
});

test('an event id that was told never comes again, also after its day was dropped', async () => {
  const [first, second] = await playDays(2);
  await keepOn(START + 40 * DAY_MS, 6);
  expect(await eventIds()).toEqual([second]);
  await insertEvent(START + 40 * DAY_MS, first);
  expect(await eventIds()).toEqual([second]);
  // Whoever does not look is refused.
  const plain = `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload) VALUES ($1, $2, 't', 1, 'tx.detected', '{}')`;
  await expect(db.query(plain, [first, projectId])).rejects.toThrow(/event_keys_pkey/);
  expect(await list('SELECT count(*) AS value FROM undispatched_events')).toEqual([0]);
});

test.each(['pending', 'held'])('a day stays while one of its deliveries is %s', async (status) => {
  const [id] = await playDays(2);
  await insertDelivery(id!, status);
  await keepOn(START + 40 * DAY_MS, 4);
  expect(await eventIds()).toContain(id);
  expect(infos.at(-1)).toMatch(/one was still to be delivered or published/);
  await db.query(`UPDATE deliveries SET status = 'delivered'`);
  await keepOn(START + 41 * DAY_MS, 4);
  expect(await eventIds()).not.toContain(id);
});

test.each([
  [
    'dispatched',
    'INSERT INTO undispatched_events SELECT id FROM event_log WHERE event_id = $1',
    'undispatched_events',
  ],
  [
    'published',
    'INSERT INTO unpublished_events SELECT id, subject_kind FROM event_log WHERE event_id = $1',
    'unpublished_events',
  ],
  [
    'given a position',
    'INSERT INTO unpositioned_events SELECT share_of(project_id), id, project_id FROM event_log WHERE event_id = $1',
    'unpositioned_events',
  ],
])('a day stays while one of its events was not %s', async (_, queue, table) => {
  const [id] = await playDays(2);
  await db.query(queue, [id]);
  await keepOn(START + 40 * DAY_MS, 4);
  expect(await eventIds()).toContain(id);
  await db.query(`DELETE FROM ${table}`);
  await keepOn(START + 41 * DAY_MS, 4);
  expect(await eventIds()).not.toContain(id);
});

test('a day stays while one of its events is held by a reorg below finality', async () => {
  const [id] = await playDays(2);
  await db.query('UPDATE event_log SET is_held = true WHERE event_id = $1', [id]);
  await keepOn(START + 40 * DAY_MS, 4);
  expect(await eventIds()).toContain(id);
  await db.query('UPDATE event_log SET is_held = false WHERE event_id = $1', [id]);
  await finish();
  await keepOn(START + 41 * DAY_MS, 4);
  expect(await eventIds()).not.toContain(id);
});

test('an event of a day that is closed is not sent again, one of another day is', async () => {
  const [old, young] = await playDays(2);
  const isKept = (id: string | undefined): Promise<unknown[]> =>
    list(`SELECT row_id >= kept_events_from() AS value FROM event_keys WHERE event_id = '${id}'`);
  expect([await isKept(old), await isKept(young)]).toEqual([[true], [true]]);
  await keep(START + DAY_MS + RETENTION_MS + 70 * MINUTE_MS);
  // Whoever found it open before is done by the next look.
  await keep(START + DAY_MS + RETENTION_MS + 71 * MINUTE_MS - 1);
  expect(await eventIds()).toContain(old);
  expect([await isKept(old), await isKept(young)]).toEqual([[false], [true]]);
});

test('writers of one event id on both sides of midnight leave one row', async () => {
  await keep(START);
  const eventId = randomUUID();
  let commit!: () => void;
  const committed = new Promise<void>((resolve) => (commit = resolve));
  const before = db.transaction(async (sql) => {
    await sql.query(INSERT, [eventId, projectId, new Date(START)]);
    await committed;
  });
  await waitFor(
    async () =>
      (
        await db.query(
          `SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`,
        )
      ).rowCount === 1,
  );
  await keep(START + DAY_MS);
  const after = Promise.allSettled([
    insertEvent(START + DAY_MS, eventId),
    insertEvent(START + DAY_MS, eventId),
  ]);
  await waitFor(
    async () =>
      (await db.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`)).rowCount! >=
      1,
  );
  commit();
  await before;
  await after;
  // Who was refused comes again, as every service does.
  await insertEvent(START + DAY_MS, eventId);
  expect(await list('SELECT tableoid::regclass::text AS value FROM event_log')).toEqual(['event_log_1']);
});

test('a detachment that was interrupted is finished', async () => {
  const ids = await playDays(3);
  await keep(START + 40 * DAY_MS);
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const reading = db.transaction(async (sql) => {
    await sql.query('SELECT count(*) FROM event_log');
    await released;
  });
  await waitFor(
    async () =>
      (
        await db.query(
          `SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`,
        )
      ).rowCount === 1,
  );
  const dropping = keep(START + 40 * DAY_MS + 2 * MINUTE_MS).catch((error: Error) => error.message);
  await waitFor(
    async () => (await list('SELECT inhrelid AS value FROM pg_inherits WHERE inhdetachpending')).length === 1,
  );
  // Others read and write on meanwhile.
  await insertEvent(START + 3 * DAY_MS);
  await db.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE event_log DETACH%' AND state = 'active' AND pid <> pg_backend_pid()`,
  );
  expect(await dropping).toMatch(/cancel/);
  release();
  await reading;
  await finish();
  await keepOn(START + 40 * DAY_MS + 4 * MINUTE_MS, 8);
  expect(await tables()).not.toContain('events');
  expect(await eventIds()).not.toEqual(expect.arrayContaining(ids.slice(0, 1)));
});
