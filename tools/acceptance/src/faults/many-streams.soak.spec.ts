// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { freePort, Services } from '../services.ts';

const PROJECTS = 20;
const STREAMS_EACH = 100;
const MEGABYTES_MAX = 200;

let postgres: PostgresHandle;
let nats: NatsHandle;
let db: Database;
let services: Services;
let apiUrl: string;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 3 });
  const port = await freePort();
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: nats.url,
    PORT: String(port),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_API: '1000000',
    LOG_LEVEL: 'warn',
  });
  await services.start(['api-gateway', 'notifier']);
  apiUrl = `http://127.0.0.1:${port}/v1`;
});
afterAll(async () => {
  await services.stop();
  await db.close();
  await Promise.all([nats.stop(), postgres.stop()]);
});

/** A client that counts the events it gets, and keeps nothing of them. */
class Listener {
  count = 0;
  #end = '';

  static async open(key: string): Promise<Listener> {
    const listener = new Listener();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${apiUrl}/events/stream?after=0`, { headers: { 'x-api-key': key }, agent: false }, resolve).on(
        'error',
        reject,
      );
    });
    expect(response.statusCode).toBe(200);
    response.on('error', () => undefined);
    response.on('data', (chunk: Buffer) => listener.#take(chunk.toString('latin1')));
    return listener;
  }

  #take(text: string): void {
    const seen = this.#end + text;
    this.count += seen.split('\nevent: ').length - 1;
    this.#end = seen.slice(-8).includes('\nevent: ') ? '' : seen.slice(-7);
  }
}

async function insertEvents(projectIds: readonly string[]): Promise<void> {
  for (const projectId of projectIds) {
    const eventId = randomUUID();
    await db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES ($1, $2, 'eip155:31337', 'balance.changed', 1, 'balance.changed', $3)`,
      [
        eventId,
        projectId,
        JSON.stringify({ event_id: eventId, type: 'balance.changed', data: { text: 'x'.repeat(1_500) } }),
      ],
    );
  }
}

/** Resident memory of the gateway's process, and how much of the processors' time it has had. */
function readMemory(): number {
  const status = readFileSync(`/proc/${services.pid('api-gateway')}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
}

test(`${PROJECTS * STREAMS_EACH} open streams on one gateway get their events, and take less than ${MEGABYTES_MAX} MB`, async () => {
  const projects = [];
  for (let index = 0; index < PROJECTS; index += 1) projects.push(await bootstrap(db, { label: 'svc' }));
  const projectIds = projects.map(({ projectId }) => projectId);
  await fetch(`${apiUrl}/events?after=0`, { headers: { 'x-api-key': projects[0]!.keys.api } });
  const before = readMemory();
  const listeners: Listener[] = [];
  for (let count = 0; count < STREAMS_EACH; count += 1)
    listeners.push(...(await Promise.all(projects.map(({ keys }) => Listener.open(keys.api)))));
  for (let round = 1; round <= 10; round += 1) {
    await insertEvents(projectIds);
    await waitFor(() => listeners.every(({ count }) => count === round), {
      message: () =>
        `${listeners.filter(({ count }) => count === round).length} of ${listeners.length} to have ${round} events`,
    });
  }
  const used = readMemory() - before;
  console.log(
    `${listeners.length} streams: ${before.toFixed(0)} MB before, ${used.toFixed(0)} MB more with them`,
  );
  expect(used).toBeLessThan(MEGABYTES_MAX);
  const refused = await fetch(`${apiUrl}/events/stream`, { headers: { 'x-api-key': projects[0]!.keys.api } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
}, 300_000);
