// SPDX-License-Identifier: Apache-2.0
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startTelemetry, type Telemetry, Workers } from '@chainwatch/platform/telemetry';
import { readMetrics, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { startBacklogWatch } from './backlogs/start-backlog-watch.ts';
import { DEFAULT_RETENTION, startRetention } from './retention/start-retention.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const timing = { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 };
/** It is said everywhere by then. */
const SAID_MS = 30_000;

let postgres: PostgresHandle;
let telemetry: Telemetry;
let db: Database;
let nowMs: number;
let workers: Workers;
let stops: (() => Promise<void>)[];
beforeAll(async () => {
  [postgres, telemetry] = await Promise.all([startPostgres(), startTelemetry({ serviceName: 'spec' })]);
});
afterAll(async () => {
  await telemetry.stop();
  await postgres.stop();
});
beforeEach(async () => {
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  nowMs = 0;
  workers = new Workers({ now: () => nowMs });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  workers.stop();
  await db.close();
});

/** As main.ts starts them, on a clock of ours. */
function start(): void {
  const health = { days: workers.of('retention days'), rows: workers.of('retention') };
  const shared = { db, logger, intervalMs: 20, timing };
  stops.push(startRetention({ ...shared, retention: DEFAULT_RETENTION, health }));
  stops.push(startBacklogWatch({ ...shared, planned: db, health: workers.of('backlogs') }));
}
const gaugeOf = async (worker: string): Promise<number | undefined> =>
  (await readMetrics(telemetry.handleMetrics)).get(`chainwatch_worker_stalled_status{worker="${worker}"}`);

test.each([
  ['retention', 'audit_logs', 'failed to remove expired audit'],
  ['retention days', 'event_partitions', 'failed to maintain event partitions'],
  ['backlogs', 'balance_reads', 'failed to read delivery backlog'],
])(
  '%s that does nothing but fail is stalled within 30 s, until it recovers',
  async (worker, table, reason) => {
    await db.query(`ALTER TABLE ${table} RENAME TO gone`);
    start();
    const check = { ok: true, status: 'stalled', reason };
    const list = (): unknown => workers.checks()[`worker ${worker}`];
    // The clock goes on with each look.
    await waitFor(
      () => {
        nowMs += 100;
        return list() !== undefined;
      },
      { message: `${worker} to be stalled` },
    );
    expect(list()).toEqual(check);
    expect(await gaugeOf(worker)).toBe(1);
    await db.query(`ALTER TABLE gone RENAME TO ${table}`);
    await waitFor(() => list() === undefined, { message: `${worker} to recover` });
    expect(await gaugeOf(worker)).toBe(0);
  },
);

test.each([
  ['retention', 'audit_logs'],
  ['retention days', 'event_partitions'],
  ['backlogs', 'balance_reads'],
])('%s counts from its first failure, and not from its last', async (worker, table) => {
  await db.query(`ALTER TABLE ${table} RENAME TO gone`);
  const failures: string[] = [];
  const of = workers.of.bind(workers);
  workers.of = (name) => {
    const health = of(name);
    const fail = health.fail.bind(health);
    return Object.assign(health, {
      fail(reason: string) {
        failures.push(name);
        fail(reason);
      },
    });
  };
  start();
  const untilFailed = (times: number): Promise<unknown> =>
    waitFor(() => failures.filter((name) => name === worker).length >= times, { message: 'it to fail' });
  await untilFailed(1);
  nowMs = SAID_MS / 2 - 1;
  await untilFailed(3);
  expect(workers.checks()[`worker ${worker}`]).toBeUndefined();
  nowMs = SAID_MS;
  expect(workers.checks()[`worker ${worker}`]).toMatchObject({ status: 'stalled' });
  await db.query(`ALTER TABLE gone RENAME TO ${table}`);
});
