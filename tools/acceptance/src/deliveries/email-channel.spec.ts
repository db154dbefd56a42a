// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@chainwatch/data/db';
import {
  startMailServer,
  startNats,
  startRedis,
  waitFor,
  type MailServerHandle,
  type ReceivedMail,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { Project } from '../project.ts';
import { freePort, Services } from '../services.ts';

// A channel of kind `email` as an operator and a customer have it: the real gateway and notifier, a real SMTP server with
// STARTTLS and a login, a recipient who follows the links.

const PASSWORD = 'hunter2hunter2';

let directory: string;
let mail: MailServerHandle;
let db: Database;
let project: Project;
let services: Services;
let publicUrl: string;
const stops: (() => Promise<unknown>)[] = [];
const answered: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mail-'));
  const tls = createCertificate(directory);
  mail = await startMailServer({ tls, login: { user: 'ada@example.com', password: PASSWORD } });
  const [postgres, nats, redis] = await Promise.all([startPostgres(), startNats(), startRedis()]);
  stops.push(postgres.stop, nats.stop, redis.stop);
  db = createDatabase({ url: postgres.url, applicationName: 'email', poolSize: 2 });
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  services = new Services({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    PORT: String(port),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'debug',
    NODE_EXTRA_CA_CERTS: join(directory, 'cert.pem'),
    SMTP_URL: `smtp://ada%40example.com:${PASSWORD}@localhost:${mail.port}`,
    SMTP_FROM: 'Alerts <alerts@example.com>',
    PUBLIC_URL: `${publicUrl}/`,
  });
  await services.start(['api-gateway', 'notifier']);
  const made = await bootstrap(db, { label: 'svc' });
  project = new Project(made.projectId, `${publicUrl}/v1`, made.keys.api);
}, 180_000);

afterAll(async () => {
  await services?.stop();
  await db?.close();
  await mail?.stop();
  await Promise.all(stops.map((stop) => stop()));
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function ask<T>(status: number, method: string, path: string, body?: object): Promise<T> {
  const answer = await project.request(method, path, body);
  answered.push(JSON.stringify(answer.body ?? ''));
  expect([method, path, answer.status, answer.body]).toEqual([method, path, status, answer.body]);
  return answer.body as T;
}

/** Older than what the sweep leaves to the bus. */
async function emit(): Promise<string> {
  const eventId = randomUUID();
  const payload = { event_id: eventId, type: 'transaction.blessed', data: {} };
  await db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, created_at)
     VALUES ($1, $2, 'eip155:1', 'transaction.detected', 1, 'tx.detected', $3, now() - interval '1 minute')`,
    [eventId, project.id, JSON.stringify(payload)],
  );
  return eventId;
}

const linkIn = ({ text }: ReceivedMail): string => /http:\/\/127\.0\.0\.1:\d+\/mail\/\S+/.exec(text)![0];
const statusOf = async (eventId: string): Promise<string | undefined> =>
  (await db.query<{ status: string }>('SELECT status FROM deliveries WHERE event_id = $1', [eventId])).rows[0]
    ?.status;

it('mails what happened after its recipient agreed, also what happened before, until it is stopped', async () => {
  const channel = await ask<{ id: string; status: string }>(201, 'POST', '/notification_channels/email', {
    name: 'Ops',
    recipients: ['ops@example.com'],
  });
  expect(channel.status).toBe('failed');
  expect(mail.mails.map(({ to, isEncrypted }) => [to, isEncrypted])).toEqual([[['ops@example.com'], true]]);
  const question = linkIn(mail.mails[0]!);

  const held = await emit();
  await waitFor(async () => (await statusOf(held)) === 'held', { timeoutMs: 30_000 });
  expect(mail.mails).toHaveLength(1);

  expect((await fetch(question)).status).toBe(200);
  expect((await fetch(question, { method: 'POST' })).status).toBe(200);
  await waitFor(async () => (await statusOf(held)) === 'delivered', { timeoutMs: 30_000 });
  expect(mail.mails).toHaveLength(2);
  expect(mail.mails[1]!.text).toContain('transaction.blessed');
  const path = `/notification_channels/${channel.id}`;
  const { items } = await ask<{ items: { id: string }[] }>(200, 'GET', `${path}/deliveries`);
  const delivery = await ask<{ attempts: { request: object }[] }>(
    200,
    'GET',
    `${path}/deliveries/${items[0]!.id}`,
  );
  expect(delivery.attempts).toMatchObject([{ request: { method: 'MAIL', url: 'mailto:ops@example.com' } }]);

  const oneClick = /<(.*)>/.exec(mail.mails[1]!.headers['list-unsubscribe']!)![1]!;
  const stopped = await fetch(oneClick, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
  expect(stopped.status).toBe(200);
  expect(await ask(200, 'GET', path)).toMatchObject({
    status: 'failed',
    failure_reason: 'every recipient stopped the mails',
    config: { recipients: [{ address: 'ops@example.com', status: 'stopped' }] },
  });
  const after = await emit();
  await waitFor(async () => (await statusOf(after)) === 'held', { timeoutMs: 30_000 });
  expect(mail.mails).toHaveLength(2);

  const { rows } = await db.query('SELECT * FROM delivery_attempts');
  const seen = [...services.output, ...answered, JSON.stringify(rows)].join('\n');
  for (const secret of [PASSWORD, question, oneClick].map((text) => text.slice(text.lastIndexOf('/') + 1)))
    expect(seen).not.toContain(secret);
}, 120_000);

/** For the name `localhost` alone. */
function createCertificate(folder: string): { readonly key: string; readonly cert: string } {
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-keyout', keyPath, '-out', path, '-days', '2', ...name],
    {
      stdio: 'pipe',
    },
  );
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(path, 'utf8') };
}
