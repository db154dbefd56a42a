// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { startNats, startRedis, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { Project } from '../project.ts';
import { ScratchRepository } from '../scratch-repository.ts';
import { ScratchServices } from '../scratch-services.ts';
import { freePort } from '../services.ts';

// A kind of channel that nobody has heard of is one file and one line (libs/channels/README.md): with these, and nothing
// else, the real services have its routes, documents, masks and deliveries.

const TOY = `import { z } from 'zod';
import { defineChannelKind } from '../define-channel-kind.ts';
import { postOnce } from '../http/post-once.ts';

/** A bell that rings once for every event. */
export const toy = defineChannelKind({
  kind: 'toy',
  docs: {
    title: 'Toy',
    description: 'A bell.',
    create: 'Create a channel that rings a bell',
    update: 'Change a bell',
    createExample: { name: 'Door', url: 'https://bell.example.com/', pin: '0000-0000-0000' },
    updateExample: { pin: '1111-1111-1111' },
  },
  input: { url: z.url().meta({ description: 'The bell.', examples: ['https://bell.example.com/'] }) },
  secrets: {
    pin: z.string().min(8).meta({ description: 'Its PIN, write-only.', examples: ['0000-0000-0000'] }),
  },
  stored: {
    url: z.string().meta({ description: 'The bell.', examples: ['https://bell.example.com/'] }),
    pin: z.string().meta({ description: 'Always masked.', examples: ['***'] }),
  },
  defaults: { events: 'payments', config: {} },
  credentials: z.object({ pin: z.string() }),
  check: async ({ url }, { checkUrl }) => {
    if (url !== undefined) await checkUrl(url, ['http:', 'https:']);
  },
  seal: (given) => given,
  mask: () => ({ pin: '***' }),
  isNewTarget: ({ url }, before) => url !== undefined && url !== before.url,
  options: {},
  limits: () => ({ concurrency: 1 }),
  render: (payloads) => \`ring: \${(JSON.parse(payloads[0]!) as { type: string }).type}\`,
  createSender: ({ http }) => ({
    send: async ({ target: { config, credentials }, body, timeoutMs }) => {
      const headers = { 'content-type': 'text/plain', 'x-pin': credentials.pin };
      return {
        request: { method: 'POST', url: config.url, headers: { ...headers, 'x-pin': '***' }, body },
        ...(await postOnce({ url: config.url, headers, body, http, timeoutMs })),
      };
    },
  }),
});
`;
const PIN = 'hunter2-hunter2';

interface Rung {
  readonly pin: unknown;
  readonly body: string;
}

let scratch: ScratchRepository;
let bell: Server;
const rung: Rung[] = [];
let db: Database;
let project: Project;
let apiUrl: string;
let bellUrl: string;
let services: ScratchServices;
/** What the API answered. */
const answered: string[] = [];
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  scratch = new ScratchRepository();
  scratch.addFile('libs/channels/src/toy/toy.ts', TOY);
  scratch.addText('libs/channels/src/kinds.ts', `export { toy } from './toy/toy.ts';\n`);
  bell = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      rung.push({ pin: req.headers['x-pin'], body: Buffer.concat(chunks).toString() });
      res.end('ding');
    });
  });
  await new Promise<void>((resolve) => bell.listen(0, '127.0.0.1', resolve));
  bellUrl = `http://127.0.0.1:${(bell.address() as AddressInfo).port}/`;
  const [postgres, nats, redis] = await Promise.all([startPostgres(), startNats(), startRedis()]);
  stops.push(postgres.stop, nats.stop, redis.stop);
  db = createDatabase({ url: postgres.url, applicationName: 'toy', poolSize: 2 });
  const port = await freePort();
  apiUrl = `http://127.0.0.1:${port}/v1`;
  services = new ScratchServices(scratch.dir, {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    PORT: String(port),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  });
  for (const app of ['api-gateway', 'notifier']) await services.start(app);
  const made = await bootstrap(db, { label: 'svc' });
  project = new Project(made.projectId, apiUrl, made.keys.api);
}, 180_000);

afterAll(async () => {
  await services?.stop();
  await db?.close();
  bell?.close();
  await Promise.all(stops.map((stop) => stop()));
  scratch?.remove();
}, 60_000);

async function ask<T>(status: number, method: string, path: string, body?: object): Promise<T> {
  const answer = await project.request(method, path, body);
  answered.push(JSON.stringify(answer.body ?? ''));
  expect([method, path, answer.status, answer.body]).toEqual([method, path, status, answer.body]);
  return answer.body as T;
}

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: readonly object[];
}

it('needs one file and one line', () => {
  expect(scratch.addedFiles).toHaveLength(1);
  expect(scratch.addedLines).toEqual({ 'libs/channels/src/kinds.ts': 1 });
});

it('is offered by the dashboard, which has its words from the API', async () => {
  await scratch.writeSdk();
  expect(readFileSync(join(scratch.dir, 'libs/sdk/src/generated/catalogue.ts'), 'utf8')).toContain(
    'Create a channel that rings a bell',
  );
  await scratch.checkTypes('apps/dashboard');
}, 300_000);

it('is created, tested, told of an event and documented, and its secret is never shown', async () => {
  const channel = await ask<{ id: string; kind: string; config: object }>(
    201,
    'POST',
    '/notification_channels/toy',
    { name: 'Door', url: bellUrl, pin: PIN },
  );
  expect(channel).toMatchObject({ kind: 'toy', config: { url: bellUrl, pin: '***' } });
  const path = `/notification_channels/${channel.id}`;

  const test = await ask<Delivery>(202, 'POST', `${path}/actions/test`, {
    event_type: 'transaction.confirmed',
  });
  const readDelivery = (id: string) => ask<Delivery>(200, 'GET', `${path}/deliveries/${id}`);
  await waitFor(async () => (await readDelivery(test.id)).status === 'delivered', { timeoutMs: 20_000 });
  expect(rung).toEqual([{ pin: PIN, body: 'ring: transaction.confirmed' }]);

  const eventId = randomUUID();
  const payload = { event_id: eventId, type: 'transaction.detected', data: {} };
  // Older than what the sweep leaves to the bus.
  await db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, created_at)
     VALUES ($1, $2, 'eip155:1', 'transaction.detected', 1, 'tx.detected', $3, now() - interval '1 minute')`,
    [eventId, project.id, JSON.stringify(payload)],
  );
  await waitFor(() => rung.length === 2, { timeoutMs: 30_000 });
  expect(rung[1]).toEqual({ pin: PIN, body: 'ring: transaction.detected' });

  await ask(200, 'PATCH', `/notification_channels/toy/${channel.id}`, { pin: `${PIN}!` });
  await ask(200, 'GET', path);
  const listed = await ask<{ items: readonly object[] }>(200, 'GET', '/notification_channels?kind=toy');
  expect(JSON.stringify(listed)).toContain(channel.id);
  const deliveries = await ask<{ items: readonly Delivery[] }>(200, 'GET', `${path}/deliveries`);
  for (const { id } of deliveries.items) expect((await readDelivery(id)).attempts).toHaveLength(1);
  await ask(400, 'POST', '/notification_channels/toy', { name: 'Door', url: bellUrl, pin: 'short' });
  await ask(404, 'GET', `${path}/webhook-secrets`);

  const documents = await (await fetch(new URL('/openapi.json', apiUrl))).text();
  expect(documents).toContain('"/notification_channels/toy/{notification_channel_id}"');
  expect(documents).toContain('"ToyChannel"');
  expect([...services.output, ...answered].join('\n')).not.toContain(PIN);
  const { rows } = await db.query('SELECT config, credentials_sealed FROM notification_channels');
  expect(JSON.stringify(rows)).not.toContain(PIN);
}, 120_000);
