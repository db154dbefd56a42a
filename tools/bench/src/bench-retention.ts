// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '@chainwatch/db';
import { startPostgres } from '@chainwatch/testing-stack';
import { keepEventDays } from '../../../apps/notifier/src/retention/keep-event-days.ts';
import type { Report } from './report.ts';

const DAYS = 30;
/** Of the day that is dropped. */
const OLD_EVENTS = Number(process.env.RETENTION_EVENTS_OF_DAY ?? 500_000);
const PER_SECOND = 1_000;
const WRITERS = 10;
const BATCH = 10;
const PERIOD_MS = (WRITERS * BATCH * 1_000) / PER_SECOND;
const QUIET_MS = 10_000;
const LOCK_MS = 100;
const DAY_MS = 86_400_000;
const PAYLOAD = JSON.stringify({ data: 'x'.repeat(1_400) });

/** How long statements on events take at worst while a day of events is dropped beside them. */
export async function benchRetention(report: Report): Promise<void> {
  const postgres = await startPostgres({ isOwn: true, isDurable: true });
  const db = createDatabase({ url: postgres.url, applicationName: 'retention' });
  const load = createDatabase({
    // Whoever waits for a lock for longer fails.
    url: `${postgres.url}?options=-c%20lock_timeout%3D${LOCK_MS}`,
    applicationName: 'load',
    poolSize: WRITERS + 2,
    keepsPlans: true,
  });
  try {
    const projectId = await fill(db);
    const stop = new AbortController();
    const times: Timed[] = [];
    const working = Array.from({ length: WRITERS }, (_, writer) =>
      work(load, { projectId, writer, times, signal: stop.signal }),
    );
    await delay(QUIET_MS);
    const from = performance.now();
    await drop(db);
    const to = performance.now();
    await delay(1_000);
    stop.abort();
    await Promise.all(working);
    const blocked = times.filter(({ isBlocked }) => isBlocked).length;
    const worst = (rows: typeof times): number => Math.max(...rows.map(({ ms }) => ms));
    const before = times.filter(({ at }) => at < from);
    const during = times.filter(({ at, ms }) => at + ms >= from && at < to + 500);
    const rate = (during.length / 3 / ((to + 500 - from) / 1_000)) * BATCH;
    report.add({
      name: `retention: a day of events is dropped at ${PER_SECOND} events/s`,
      goal: `no statement waits for a lock for ${LOCK_MS} ms`,
      isMet: blocked === 0 && rate >= 0.9 * PER_SECOND,
      measured: `${blocked} waited; slowest ${worst(during).toFixed(0)} ms of ${during.length} (${worst(before).toFixed(0)} ms of ${before.length} before)`,
      detail: `${OLD_EVENTS} events in the day, ${DAYS} days kept; ${rate.toFixed(0)} events/s in batches of ${BATCH}, each read by its id and by a list; closing, positions, detachment and drop took ${((to - from) / 1_000).toFixed(1)} s; load average ${loadavg()[0]!.toFixed(1)}`,
    });
  } finally {
    await Promise.all([db.close(), load.close()]);
    await postgres.stop();
  }
}

/** Days until now, the first one full. Returns the project. */
async function fill(db: Database): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id)
     INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
  );
  const projectId = rows[0]!.id;
  const began = Date.now() - (DAYS + 1) * DAY_MS;
  await db.query('UPDATE event_partitions SET began_at = $1', [new Date(began)]);
  for (let done = 0; done < OLD_EVENTS; done += 10_000)
    await db.query(
      `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, created_at)
       SELECT gen_random_uuid(), $1, 'transaction.detected', n, 'test', $2, $3 FROM generate_series(1, 10000) n`,
      [projectId, PAYLOAD, new Date(began)],
    );
  await db.query(
    `WITH gone AS (DELETE FROM unpositioned_events RETURNING event_row_id)
     INSERT INTO event_positions (project_id, position, event_row_id) SELECT $1, event_row_id, event_row_id FROM gone`,
    [projectId],
  );
  for (let day = 1; day <= DAYS; day += 1) {
    await db.query('SELECT add_event_partition()');
    await db.query('SELECT begin_event_partition($1)', [new Date(began + day * DAY_MS)]);
  }
  await db.query('VACUUM ANALYZE event_positions, event_keys');
  return projectId;
}

/** The passes of the job, as far apart as they have to be on its own clock. */
async function drop(db: Database): Promise<void> {
  const logger = { info: () => undefined, warn: () => undefined };
  const left = async (): Promise<number> =>
    Number(
      (await db.query(`SELECT count(*) AS count FROM event_partitions WHERE number < 2`)).rows[0]!.count,
    );
  for (let pass = 0; (await left()) > 0; pass += 1)
    await keepEventDays({
      db,
      logger,
      retentionMs: (DAYS - 1) * DAY_MS - 7_200_000,
      nowMs: Date.now() + pass * 120_000,
    });
}

interface Timed {
  readonly at: number;
  readonly ms: number;
  readonly isBlocked: boolean;
}

interface Load {
  readonly projectId: string;
  readonly writer: number;
  readonly times: Timed[];
  readonly signal: AbortSignal;
}

async function work(load: Database, { projectId, writer, times, signal }: Load): Promise<void> {
  const timed = async (name: string, text: string, values: unknown[]): Promise<void> => {
    const at = performance.now();
    const isBlocked = await load.query({ name, text, values }).then(
      () => false,
      (err: { code?: string }) => {
        if (err.code === '55P03') return true;
        throw err;
      },
    );
    times.push({ at, ms: performance.now() - at, isBlocked });
  };
  await delay((writer * PERIOD_MS) / WRITERS);
  for (let next = performance.now(); !signal.aborted; ) {
    const ids = Array.from({ length: BATCH }, () => randomUUID());
    await timed(
      'insert',
      `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload)
       SELECT e, $2, 'transaction.detected', 1, 'test', $3 FROM unnest($1::uuid[]) e
       WHERE (SELECT true FROM event_keys k WHERE k.event_id = e) IS NULL ON CONFLICT DO NOTHING`,
      [ids, projectId, PAYLOAD],
    );
    await timed(
      'look',
      `SELECT e.* FROM event_keys k CROSS JOIN LATERAL (SELECT id, payload FROM event_log WHERE id = k.row_id OFFSET 0) e WHERE k.event_id = ANY($1::uuid[])`,
      [ids],
    );
    await timed(
      'list',
      `SELECT id FROM event_log WHERE project_id = $1 AND subject_kind = 'test' AND created_at >= now() - interval '1 hour' ORDER BY created_at DESC, id DESC LIMIT 10`,
      [projectId],
    );
    next += PERIOD_MS;
    await delay(Math.max(0, next - performance.now()));
  }
}
