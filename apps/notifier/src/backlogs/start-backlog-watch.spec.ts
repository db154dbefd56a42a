// SPDX-License-Identifier: Apache-2.0
import { v7 as createOrderedId } from 'uuid';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startTelemetry, type Telemetry } from '@chainwatch/platform/telemetry';
import { readMetrics, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { createDeliveryRows, startPostgres, type DeliveryRows } from '@chainwatch/data/testing';
import {
  readBacklog,
  ROWS_MAX,
  STAGES,
  type Backlog,
  type Stage,
  startBacklogWatch,
} from './start-backlog-watch.ts';

const logger = { info: () => undefined, warn: () => undefined };
const timing = { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 };

let postgres: PostgresHandle;
let telemetry: Telemetry;
let world: DeliveryRows;
let planned: Database;
beforeAll(async () => {
  [postgres, telemetry] = await Promise.all([startPostgres(), startTelemetry({ serviceName: 'spec' })]);
});
afterAll(async () => {
  await telemetry.stop();
  await postgres.stop();
});
beforeEach(async () => {
  const url = await postgres.createDatabase();
  world = await createDeliveryRows(url);
  await addChain('eip155:31337', true);
  planned = createDatabase({ url, applicationName: 'spec', keepsPlans: true });
});
afterEach(async () => {
  await planned.close();
  await world.db.close();
});

const readAll = async (): Promise<Record<Stage, Backlog>> =>
  Object.fromEntries(
    await Promise.all(STAGES.map(async (stage) => [stage, await readBacklog(planned, stage)] as const)),
  ) as Record<Stage, Backlog>;
const addChain = (gid: string, isActive: boolean): Promise<unknown> =>
  world.db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'evm', $1, $1, '', $2)
     ON CONFLICT (gid) DO UPDATE SET is_active = EXCLUDED.is_active`,
    [gid, isActive],
  );
const age = (seconds: string, table: string, where = 'true'): Promise<unknown> =>
  world.db.query(`UPDATE ${table} SET ${seconds} WHERE ${where}`);

async function addDelivery(channelId: string, status: string, secondsAgo: number): Promise<void> {
  const { eventId } = await world.insertEvent();
  await world.db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, created_at)
     VALUES ($1, $2, $3, $4, 'transaction.detected', $5, now() - $6 * interval '1 s', now() - $6 * interval '1 s')`,
    [createOrderedId(), world.projectId, channelId, eventId, status, secondsAgo],
  );
}

describe('what waits', () => {
  it('is nothing in an empty database', async () => {
    expect(Object.values(await readAll())).toEqual(STAGES.map(() => ({ rows: 0, ageSeconds: 0 })));
  });

  it('is told by stage with the age of the oldest', async () => {
    const oldest = await world.insertEvent();
    await world.insertEvent();
    await age(`created_at = now() - interval '100 s'`, 'event_log', `event_id = '${oldest.eventId}'`);
    // Held for its chain, which is repaired: counted where it waits, and not late.
    const held = await world.insertEvent({ isHeld: true });
    await age(`created_at = now() - interval '1 day'`, 'event_log', `event_id = '${held.eventId}'`);
    const { outbox, positions, dispatch } = await readAll();
    expect([outbox.rows, positions.rows, dispatch.rows]).toEqual([3, 2, 2]);
    for (const { ageSeconds } of [outbox, positions, dispatch]) {
      expect(ageSeconds).toBeGreaterThanOrEqual(100);
      expect(ageSeconds).toBeLessThan(1_000);
    }
    // Nobody publishes the events of a chain that is not active, or reads its balances.
    await addChain('eip155:1', true);
    await world.db.query(
      `INSERT INTO balance_reads (chain_gid, reason, created_at) SELECT gid, reason, now() - ago
       FROM (VALUES ('eip155:1', 'imported', interval '2 days'), ('eip155:31337', 'detected', '1 day'), ('eip155:1', 'touched', '50 s')) AS r (gid, reason, ago)`,
    );
    const { ageSeconds } = (await readAll()).balances;
    expect(ageSeconds).toBeGreaterThanOrEqual(86_400);
    expect(ageSeconds).toBeLessThan(2 * 86_400);
    await addChain('eip155:31337', false);
    const { outbox: published, balances } = await readAll();
    expect(published).toEqual({ rows: 3, ageSeconds: 0 });
    expect(balances.rows).toBe(3);
    expect(balances.ageSeconds).toBeGreaterThanOrEqual(50);
    expect(balances.ageSeconds).toBeLessThan(1_000);
    // A clock that runs ahead.
    await age(`created_at = now() + interval '1 h'`, 'event_log');
    expect((await readAll()).dispatch.ageSeconds).toBe(0);
  });

  it('knows what is due from what is not yet, and what is held', async () => {
    const channelId = await world.addChannel('https://receiver.example/');
    const archived = await world.addChannel('https://archived.example/');
    await age('is_archived = true', 'notification_channels', `id = '${archived}'`);
    await addDelivery(channelId, 'pending', 50);
    await addDelivery(channelId, 'pending', -50);
    await addDelivery(channelId, 'held', 70);
    await addDelivery(channelId, 'held', 20);
    await addDelivery(archived, 'held', 9_000);
    await addDelivery(channelId, 'delivered', 9_000);
    const { deliveries_due: due, deliveries_held: kept } = await readAll();
    expect([due.rows, kept.rows]).toEqual([1, 3]);
    expect(due.ageSeconds).toBeGreaterThanOrEqual(50);
    expect(due.ageSeconds).toBeLessThan(1_000);
    expect(kept.ageSeconds).toBeGreaterThanOrEqual(70);
    expect(kept.ageSeconds).toBeLessThan(1_000);
  });

  it('is not late where its channel gets on, however slow its receiver is', async () => {
    const [slow, stuck] = [
      await world.addChannel('https://slow.example/'),
      await world.addChannel('https://stuck.example/'),
    ];
    for (const channelId of [slow, stuck]) {
      await addDelivery(channelId, 'delivered', 7_000);
      await addDelivery(channelId, 'pending', 6_000);
      await addDelivery(channelId, 'pending', 5_000);
    }
    const tried = (channelId: string, secondsAgo: number) =>
      age(
        `attempt_count = 1, updated_at = now() - ${secondsAgo} * interval '1 s'`,
        'deliveries',
        `channel_id = '${channelId}' AND status = 'delivered'`,
      );
    await tried(slow, 3);
    await tried(stuck, 200);
    expect((await readBacklog(planned, 'deliveries_due')).rows).toBe(4);
    expect(Math.floor((await readBacklog(planned, 'deliveries_due')).ageSeconds / 10)).toBe(20);
    // What is tried again counts as well.
    await age(
      `attempt_count = 1, updated_at = created_at`,
      'deliveries',
      `channel_id = '${stuck}' AND status = 'pending'`,
    );
    await tried(stuck, 4_000);
    expect(Math.floor((await readBacklog(planned, 'deliveries_due')).ageSeconds / 100)).toBe(40);
    await age(`status = 'held'`, 'deliveries', `channel_id = '${stuck}' AND status = 'pending'`);
    expect((await readBacklog(planned, 'deliveries_due')).ageSeconds).toBeLessThan(100);
  });

  it('is counted up to a bound, by indexes', async () => {
    await world.db.query('ALTER TABLE undispatched_events DISABLE TRIGGER ALL');
    await world.db.query(`INSERT INTO undispatched_events SELECT generate_series(1, ${ROWS_MAX + 5})`);
    expect(await readBacklog(planned, 'dispatch')).toEqual({ rows: ROWS_MAX, ageSeconds: 0 });
    const channelId = await world.addChannel('https://receiver.example/');
    await world.db.query(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status)
       SELECT $1, $2, gen_random_uuid(), 't', CASE WHEN n % 1000 = 0 THEN 'held' ELSE 'delivered' END FROM generate_series(1, 20000) n`,
      [world.projectId, channelId],
    );
    await world.db.query('ANALYZE deliveries');
    const read = async (): Promise<number> => {
      await world.db.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
      const { rows } = await world.db.query<{ seq_scan: number }>(
        `SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
      );
      return rows[0]!.seq_scan;
    };
    const scans = await read();
    expect((await readBacklog(planned, 'deliveries_held')).rows).toBe(20);
    expect((await readBacklog(planned, 'deliveries_due')).rows).toBe(0);
    expect(await read()).toBe(scans);
  });

  it('is told by one replica, by the next one when that goes, and not when it cannot be read', async () => {
    const channelId = await world.addChannel('https://receiver.example/');
    await age(`status = 'failing'`, 'notification_channels', `id = '${channelId}'`);
    await addDelivery(channelId, 'held', 70);
    const read = async (): Promise<string[]> =>
      [...(await readMetrics(telemetry.handleMetrics))]
        .filter(([name]) => /^chainwatch_(backlog_rows|channels)/.test(name))
        .map((entry) => entry.join(' '))
        .sort();
    const expected = [
      'chainwatch_backlog_rows{stage="balances"} 0',
      'chainwatch_backlog_rows{stage="deliveries_due"} 0',
      'chainwatch_backlog_rows{stage="deliveries_held"} 1',
      'chainwatch_backlog_rows{stage="dispatch"} 1',
      'chainwatch_backlog_rows{stage="outbox"} 1',
      'chainwatch_backlog_rows{stage="positions"} 1',
      'chainwatch_channels{status="active"} 0',
      'chainwatch_channels{status="failed"} 0',
      'chainwatch_channels{status="failing"} 1',
    ];
    const deps = { db: world.db, planned, logger, timing, intervalMs: 20 };
    const isTold = async (): Promise<boolean> => (await read()).join() === expected.join();
    const stop = startBacklogWatch(deps);
    await waitFor(isTold);
    await stop();
    expect(await read()).toEqual([]);
    const stopNext = startBacklogWatch(deps);
    await waitFor(isTold);
    await world.db.query('ALTER TABLE balance_reads RENAME TO somewhere_else');
    await waitFor(async () => (await read()).length === 0);
    await world.db.query('ALTER TABLE somewhere_else RENAME TO balance_reads');
    await waitFor(isTold);
    await stopNext();
  });
});
