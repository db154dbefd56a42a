// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, credsAuthenticator, nkeys, type NatsConnection } from '@nats-io/transport-node';
import {
  createCertificate,
  createNatsAccounts,
  findFreePort,
  killWithParent,
  startNats,
  waitFor,
  type NatsHandle,
} from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const user = nkeys.createUser();
const seed = new TextDecoder().decode(user.getSeed());

/** A customer's server: three ways to log in, one of them may not publish everywhere. */
const configuration = `
jetstream { enabled: true }
authorization {
  users: [
    { user: ada, password: "p@ss:word" }
    { user: clerk, password: x, permissions: { publish: ["allowed.>", "$JS.API.>", "_INBOX.>"], subscribe: [">"] } }
    { nkey: ${user.getPublicKey()} }
  ]
}`;

const accounts = createNatsAccounts();

let directory: string;
let customer: NatsHandle;
let tokenServer: NatsHandle;
let accountServer: NatsHandle;
let tlsServer: NatsHandle;
let reader: NatsConnection;
let world: World;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'nats-conf-'));
  const startWith = (name: string, text: string): Promise<NatsHandle> => {
    writeFileSync(join(directory, name), text);
    return startNats({ args: ['-c', join(directory, name)] });
  };
  const certificate = createCertificate(directory);
  [customer, tokenServer, accountServer, tlsServer] = await Promise.all([
    startWith('customer.conf', configuration),
    startNats({ args: ['--auth', 's3cret'] }),
    startWith('accounts.conf', accounts.configuration),
    startWith('tls.conf', `tls { cert_file: "${certificate.path}", key_file: "${certificate.keyPath}" }`),
  ]);
  reader = await connect({ servers: customer.url, user: 'ada', pass: 'p@ss:word' });
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await Promise.all([customer?.stop(), tokenServer?.stop(), accountServer?.stop(), tlsServer?.stop()]);
  rmSync(directory, { recursive: true });
});
giveWorlds((given) => ({ world } = given));

const addChannel = (
  subject: string,
  auth: object,
  url = customer.url,
  config: object = {},
): Promise<string> =>
  world.addChannel(url, { kind: 'nats', config: { subject, ...config }, credentials: { auth } });
const ada = { type: 'user', username: 'ada', password: 'p@ss:word' };
const attempts = (): Promise<Record<string, unknown>[]> =>
  world.rows('SELECT error_code, response_body, request FROM delivery_attempts ORDER BY started_at');

describe('a NATS channel', () => {
  test.each<[string, object, () => string, object]>([
    ['user and password', ada, () => customer.url, { user: 'ada', pass: 'p@ss:word' }],
    ['an nkey', { type: 'nkey', seed }, () => customer.url, { user: 'ada', pass: 'p@ss:word' }],
    ['a token', { type: 'token', token: 's3cret' }, () => tokenServer.url, { token: 's3cret' }],
    [
      'a .creds file',
      { type: 'creds', creds: accounts.creds },
      () => accountServer.url,
      { authenticator: credsAuthenticator(new TextEncoder().encode(accounts.creds)) },
    ],
  ])('publishes the exact bytes with %s, to whoever listens', async (_name, auth, urlOf, login) => {
    const listener = await connect({ servers: urlOf(), ...login });
    const subscription = listener.subscribe('plain.events', { max: 1 });
    await listener.flush();
    await addChannel('plain.events', auth, urlOf());
    await world.start();
    const eventId = await world.emit({ type: 'balance.changed' });
    await world.waitForStatus(eventId, 'delivered');
    for await (const message of subscription) {
      const [event] = await world.rows<{ payload: string }>(
        'SELECT payload FROM event_log WHERE event_id = $1',
        [eventId],
      );
      expect(message.string()).toBe(event!.payload);
      expect([
        message.headers?.get('Nats-Msg-Id'),
        message.headers?.get('X-Webhook-Event'),
        message.headers?.get('X-Webhook-Event-Id'),
      ]).toEqual([eventId, 'balance.changed', eventId]);
    }
    expect(JSON.stringify(await attempts())).not.toMatch(/p@ss|s3cret|SU[A-Z2-7]{56}|eyJ/);
    await listener.close();
  });

  test('records its attempts, and those of others, whatever bytes a server says', async () => {
    const answering = await connect({ servers: tokenServer.url, token: 's3cret' });
    // Its stream leaves the answer to whoever listens.
    const manager = await jetstreamManager(answering);
    await manager.streams.add({ name: 'mine', subjects: ['mine'], no_ack: true });
    const said = JSON.stringify({ error: { code: 400, err_code: 10_000, description: 'no\0!' } });
    answering.subscribe('mine', { callback: (_error, message) => void message.respond(said) });
    await answering.flush();
    await addChannel('mine', { type: 'token', token: 's3cret' }, tokenServer.url);
    await addChannel('other', { type: 'token', token: 'wrong' }, tokenServer.url);
    await world.start({ scheduleMs: [0] });
    await world.emit();
    // The shares of the two channels may come one after the other.
    await waitFor(async () => (await attempts()).length === 2);
    expect((await attempts()).map(({ error_code: code }) => code).sort()).toEqual([
      'authentication_failed',
      'not_acknowledged',
    ]);
    await answering.close();
  });

  test('waits for the stream that takes the subject, which drops what comes twice, and keeps the order', async () => {
    const manager = await jetstreamManager(reader);
    await manager.streams.add({ name: 'events', subjects: ['stored.>'] });
    const channelId = await addChannel('stored.events', ada);
    await world.start();
    const sent: string[] = [];
    for (let count = 0; count < 50; count += 1) sent.push(await world.emit());
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const { state } = await manager.streams.info('events');
    expect(state.messages).toBe(50);
    const stored: (string | undefined)[] = [];
    for (let seq = 1; seq <= 50; seq += 1)
      stored.push((await manager.streams.getMessage('events', { seq }))?.header.get('Nats-Msg-Id'));
    expect(stored).toEqual(sent);
    expect(
      (await attempts()).map(({ response_body: body }) => JSON.parse(String(body)) as unknown),
    ).toContainEqual({ stream: 'events', seq: 1 });

    await world.db.query(
      `UPDATE deliveries SET status = 'held', attempt_base = attempt_count WHERE channel_id = $1 AND event_id = $2`,
      [channelId, sent[0]],
    );
    await world.waitForStatus(sent[0]!, 'delivered');
    expect((await manager.streams.info('events')).state.messages).toBe(50);
    expect(JSON.parse(String((await attempts()).at(-1)!.response_body))).toMatchObject({ duplicate: true });
    await manager.streams.delete('events');
  });

  test.each<[string, string, object, (() => string)?]>([
    ['authentication_failed', 'allowed.x', { type: 'user', username: 'ada', password: 'wrong' }],
    ['authentication_failed', 'allowed.x', { type: 'none' }],
    [
      'authentication_failed',
      'allowed.x',
      { type: 'creds', creds: accounts.strangerCreds },
      () => accountServer.url,
    ],
    ['permission_denied', 'forbidden.x', { type: 'user', username: 'clerk', password: 'x' }],
    ['tls_error', 'allowed.x', { type: 'none' }, () => `tls://localhost:${tlsServer.port}`],
    ['tls_error', 'allowed.x', { type: 'none' }, () => `nats://localhost:${tlsServer.port}`],
  ])(
    'records %s for what the server refuses, or shows',
    async (code, subject, auth, urlOf = () => customer.url) => {
      await addChannel(subject, auth, urlOf());
      await world.start({ scheduleMs: [0, 60_000] });
      await world.emit();
      await waitFor(async () => (await attempts()).length === 1);
      expect((await attempts())[0]).toMatchObject({ error_code: code });
    },
  );

  test('tries again until the server is there, through the same breaker as every channel', async () => {
    const port = await findFreePort();
    const channelId = await addChannel('late.events', { type: 'none' }, `nats://127.0.0.1:${port}`);
    await world.start({ scheduleMs: [0, 100, 60_000], probeIntervalMs: 200 });
    const sent = await Promise.all(Array.from({ length: 6 }, () => world.emit()));
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM notification_channels WHERE status = 'failing'`)).length === 1,
    );
    expect((await attempts())[0]).toMatchObject({ error_code: 'connection_refused' });
    const late = await startNats({ port });
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(await world.rows('SELECT status FROM notification_channels WHERE id = $1', [channelId])).toEqual([
      { status: 'active' },
    ]);
    await late.stop();
  });

  test('shares one connection among channels, closes it when unused, and gives up on a server that hangs', async () => {
    const monitor = await findFreePort();
    const server = await startNats({ args: ['-m', String(monitor)] });
    const connections = async (): Promise<number> =>
      ((await (await fetch(`http://127.0.0.1:${monitor}/connz`)).json()) as { connections: unknown[] })
        .connections.length;
    for (const subject of ['a', 'b', 'c']) await addChannel(subject, { type: 'none' }, server.url);
    await world.start({
      kinds: { nats: { idleMs: 400 } },
      attemptTimeoutMs: 1_500,
      scheduleMs: [0, 100, 100, 100, 100, 100],
    });
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(await connections()).toBe(1);
    await waitFor(async () => (await connections()) === 0);
    server.pause();
    const eventId = await world.emit();
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'timeout'`)).length > 0,
    );
    server.resume();
    await world.waitForStatus(eventId, 'delivered');
    await server.stop();
  });

  test('never dials a blocked address', async () => {
    await addChannel('x', { type: 'none' }, 'nats://10.255.255.1:4222');
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'blocked_address'`)).length ===
        1,
    );
  });

  test('speaks TLS with a server whose certificate the system trusts for the name in the URL, and with no other', async () => {
    const monitor = await connect({
      servers: `localhost:${tlsServer.port}`,
      tls: { caFile: join(directory, 'cert.pem') },
    });
    const subscription = monitor.subscribe('tls.>', { max: 2 });
    await monitor.flush();
    for (const scheme of ['tls', 'nats'])
      await world.addChannel(`${scheme}://localhost:${tlsServer.port}`, {
        kind: 'nats',
        config: { subject: `tls.${scheme}` },
      });
    await world.addChannel(`tls://127.0.0.1:${tlsServer.port}`, {
      kind: 'nats',
      config: { subject: 'tls.address' },
    });
    // Node reads additional certificates (NODE_EXTRA_CA_CERTS) only when it starts.
    const stop = await startOwnProcess(join(directory, 'cert.pem'));
    await world.emit();
    const subjects: string[] = [];
    for await (const { subject } of subscription) subjects.push(subject);
    expect(subjects.sort()).toEqual(['tls.nats', 'tls.tls']);
    await waitFor(async () => (await attempts()).length >= 3);
    expect(await world.rows('SELECT error_code FROM delivery_attempts WHERE error_code IS NOT NULL')).toEqual(
      [{ error_code: 'tls_error' }],
    );
    await stop();
    await monitor.close();
  });
});

/** For the name `localhost` alone. */
/** The notifier as the operating system runs it, trusting one certificate more. */
async function startOwnProcess(caPath: string): Promise<() => Promise<void>> {
  const key = randomBytes(32).toString('base64');
  const healthPort = await findFreePort();
  const env = {
    ...process.env,
    ...world.environment,
    NODE_OPTIONS: '',
    NODE_EXTRA_CA_CERTS: caPath,
    SECRETS_KEYS: `test:${key}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    HEALTH_PORT: String(healthPort),
    LOG_LEVEL: 'error',
    WEBHOOK_RETRY_SCHEDULE: '0,1h',
  };
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('./main.ts', import.meta.url))],
    { env, stdio: 'inherit' },
  );
  const unwatch = killWithParent(child.pid!, 'KILL');
  child.once('exit', unwatch);
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeoutMs: 60_000 },
  );
  return async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
}
