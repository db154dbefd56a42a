// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { createSealer } from '@chainwatch/platform/secrets';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { addProjects, EventSource } from '../deliveries/event-source.ts';
import { Fleet } from '../fleet.ts';
import { Receiver } from '../receiver.ts';
import { KeepAliveClient } from '../rollout/keep-alive-client.ts';
import { Services } from '../services.ts';

// What one, two and three replicas do on this machine, clients and receiver included. Figures, no goals.

const REPLICAS = [1, 2, 3];
const CHANNELS = 64;
const EVENTS = Number(process.env['SCALE_EVENTS'] ?? 10_000);
const ASK_MS = 5_000;
const CLIENTS = 32;
const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

const receiver = new Receiver();
const figures: string[] = [];
let postgres: PostgresHandle;
let nats: NatsHandle;
let db: Database;
let services: Services;
let source: EventSource;
let projectIds: string[];
let key: string;
const fleet = new Fleet(() => services);

beforeAll(async () => {
  const sealing = randomBytes(32).toString('base64');
  const sealer = createSealer({ keys: { test: sealing }, activeKeyId: 'test' });
  [postgres, nats] = await Promise.all([startPostgres({ isOwn: true }), startNats(), receiver.start()]);
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  key = (await bootstrap(db, { label: 'svc' })).keys.api;
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    SECRETS_KEYS: `test:${sealing}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    RATE_LIMIT_API: '100000000',
    LOG_LEVEL: 'warn',
  });
  source = await EventSource.open(db, nats.url);
  projectIds = await addProjects(
    db,
    Array.from({ length: CHANNELS }, () => ({
      url: receiver.url,
      secretSealed: (id: string) => sealer.seal(SECRET, `webhook_secret:${id}`),
    })),
  );
  for (const projectId of projectIds) receiver.secrets.set(projectId, SECRET);
});
afterAll(async () => {
  console.log(figures.join('\n'));
  await services.stop();
  await fleet.stop();
  await source.close();
  await db.close();
  await Promise.all([receiver.stop(), nats.stop(), postgres.stop()]);
});

/** Until each of the replicas has its part of the channels. */
async function waitForShares(replicas: number): Promise<void> {
  await waitFor(async () => {
    const { rows } = await db.query<{ owners: number; shares: number }>(
      `SELECT count(DISTINCT owner) AS owners, count(*) AS shares FROM share_leases WHERE kind = 'channels' AND lease_until > now()`,
    );
    return rows[0]!.owners === replicas && rows[0]!.shares === 32;
  });
}

it.each(REPLICAS)('deliveries by %d notifiers', async (replicas) => {
  await fleet.add('notifier');
  await waitForShares(replicas);
  const before = receiver.events.size;
  const made = await source.commit(projectIds, EVENTS, true);
  const startedAt = performance.now();
  await source.release();
  for (const event of made) void source.publish(event).catch(() => undefined);
  await waitFor(() => receiver.events.size === before + EVENTS, { timeoutMs: 120_000 });
  const perSecond = Math.round((EVENTS / (performance.now() - startedAt)) * 1_000);
  figures.push(`${replicas} notifiers: ${perSecond} deliveries/s`);
  expect(receiver.faults).toEqual([]);
});

it('rows on the disk', async () => {
  // Events were written twice here: held, then released.
  for (const table of ['event_log', 'event_keys', 'deliveries', 'delivery_attempts', 'event_positions'])
    await db.query(`VACUUM FULL ${table}`);
  const { rows } = await db.query<{ name: string; bytes: number }>(
    `WITH sizes AS (
       SELECT name, pg_total_relation_size(name::regclass) + coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(name::regclass)), 0) AS bytes
       FROM unnest(ARRAY['event_log', 'event_keys', 'event_positions', 'deliveries', 'delivery_attempts']) AS name)
     SELECT 'an event' AS name, round(sum(bytes) / (SELECT count(*) FROM event_log))::integer AS bytes FROM sizes WHERE name LIKE 'event%'
     UNION ALL SELECT 'a delivery', round(sum(bytes) / (SELECT count(*) FROM deliveries))::integer FROM sizes WHERE name LIKE 'deliver%'`,
  );
  expect(rows).toHaveLength(2);
  for (const { name, bytes } of rows) {
    expect(bytes).toBeGreaterThan(0);
    figures.push(`${name}: ${bytes} bytes with its indexes`);
  }
});

it.each(REPLICAS)('requests to %d API gateways', async (replicas) => {
  await fleet.add('api-gateway');
  expect(fleet.replicasOf('api-gateway')).toHaveLength(replicas);
  const url = `http://127.0.0.1:${fleet.portOf('api-gateway')}/v1/blockchains`;
  const clients = Array.from(
    { length: CLIENTS },
    () => new KeepAliveClient(() => ({ url, method: 'GET', headers: { 'x-api-key': key } }), 0),
  );
  await delay(ASK_MS);
  await Promise.all(clients.map((client) => client.stop()));
  expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
  const answers = clients.reduce((sum, client) => sum + client.answers, 0);
  figures.push(`${replicas} API gateways: ${Math.round((answers / ASK_MS) * 1_000)} requests/s`);
});
