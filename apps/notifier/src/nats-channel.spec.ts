import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeys, type NatsConnection } from '@nats-io/transport-node';
import { findFreePort, startNats, startPostgres, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { createWorld, type World } from './spec-world.ts';

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

let directory: string;
let postgres: PostgresHandle;
let nats: NatsHandle;
let customer: NatsHandle;
let tokenServer: NatsHandle;
let reader: NatsConnection;
let world: World;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'nats-conf-'));
  writeFileSync(join(directory, 'customer.conf'), configuration);
  [postgres, nats, customer, tokenServer] = await Promise.all([
    startPostgres(),
    startNats(),
    startNats({ args: ['-c', join(directory, 'customer.conf')] }),
    startNats({ args: ['--auth', 's3cret'] }),
  ]);
  reader = await connect({ servers: customer.url, user: 'ada', pass: 'p@ss:word' });
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await Promise.all([postgres?.stop(), nats?.stop(), customer?.stop(), tokenServer?.stop()]);
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  world = await createWorld(await postgres.createDatabase(), nats.url);
});
afterEach(() => world.stop());

const addChannel = (subject: string, auth: object, url = customer.url, config: object = {}): Promise<string> => world.addChannel(url, { kind: 'nats', config: { subject, ...config }, credentials: { auth } });
const ada = { type: 'user', username: 'ada', password: 'p@ss:word' };
const attempts = (): Promise<Record<string, unknown>[]> => world.rows('SELECT error_code, response_body, request FROM delivery_attempts ORDER BY started_at');

describe('a NATS channel', () => {
  test.each<[string, object, () => string]>([
    ['user and password', ada, () => customer.url],
    ['an nkey', { type: 'nkey', seed }, () => customer.url],
    ['a token', { type: 'token', token: 's3cret' }, () => tokenServer.url],
  ])('publishes the exact bytes with %s, to whoever listens', async (_name, auth, urlOf) => {
    const listener = urlOf() === customer.url ? reader : await connect({ servers: urlOf(), token: 's3cret' });
    const subscription = listener.subscribe('plain.events', { max: 1 });
    await listener.flush();
    await addChannel('plain.events', auth, urlOf());
    await world.start();
    const eventId = await world.emit({ type: 'balance.changed' });
    await world.waitForStatus(eventId, 'delivered');
    for await (const message of subscription) {
      const [event] = await world.rows<{ payload: string }>('SELECT payload FROM events WHERE event_id = $1', [eventId]);
      expect(message.string()).toBe(event!.payload);
      expect([message.headers?.get('Nats-Msg-Id'), message.headers?.get('X-Webhook-Event'), message.headers?.get('X-Webhook-Event-Id')]).toEqual([eventId, 'balance.changed', eventId]);
    }
    expect(JSON.stringify(await attempts())).not.toMatch(/p@ss|s3cret|SU[A-Z2-7]{56}/);
    if (listener !== reader) await listener.close();
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
    for (let seq = 1; seq <= 50; seq += 1) stored.push((await manager.streams.getMessage('events', { seq }))?.header.get('Nats-Msg-Id'));
    expect(stored).toEqual(sent);
    expect((await attempts()).map(({ response_body: body }) => JSON.parse(String(body)) as unknown)).toContainEqual({ stream: 'events', seq: 1 });

    await world.db.query(`UPDATE deliveries SET status = 'held', attempt_base = attempt_count WHERE channel_id = $1 AND event_id = $2`, [channelId, sent[0]]);
    await world.waitForStatus(sent[0]!, 'delivered');
    expect((await manager.streams.info('events')).state.messages).toBe(50);
    expect(JSON.parse(String((await attempts()).at(-1)!.response_body))).toMatchObject({ duplicate: true });
    await manager.streams.delete('events');
  });

  test.each<[string, string, object]>([
    ['authentication_failed', 'allowed.x', { type: 'user', username: 'ada', password: 'wrong' }],
    ['authentication_failed', 'allowed.x', { type: 'none' }],
    ['permission_denied', 'forbidden.x', { type: 'user', username: 'clerk', password: 'x' }],
  ])('records %s for what the server refuses', async (code, subject, auth) => {
    await addChannel(subject, auth);
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect((await attempts())[0]).toMatchObject({ error_code: code });
  });

  test('tries again until the server is there, through the same breaker as every channel', async () => {
    const port = await findFreePort();
    const channelId = await addChannel('late.events', { type: 'none' }, `nats://127.0.0.1:${port}`);
    await world.start({ scheduleMs: [0, 100, 60_000], probeIntervalMs: 200 });
    const sent = await Promise.all(Array.from({ length: 6 }, () => world.emit()));
    await waitFor(async () => (await world.rows(`SELECT 1 FROM notification_channels WHERE status = 'failing'`)).length === 1);
    expect((await attempts())[0]).toMatchObject({ error_code: 'connection_refused' });
    const late = await startNats({ port });
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(await world.rows('SELECT status FROM notification_channels WHERE id = $1', [channelId])).toEqual([{ status: 'active' }]);
    await late.stop();
  });

  test('shares one connection among channels, closes it when unused, and gives up on a server that hangs', async () => {
    const monitor = await findFreePort();
    const server = await startNats({ args: ['-m', String(monitor)] });
    const connections = async (): Promise<number> => ((await (await fetch(`http://127.0.0.1:${monitor}/connz`)).json()) as { connections: unknown[] }).connections.length;
    for (const subject of ['a', 'b', 'c']) await addChannel(subject, { type: 'none' }, server.url);
    await world.start({ natsIdleMs: 400, attemptTimeoutMs: 1_500, scheduleMs: [0, 100, 100, 100, 100, 100] });
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(await connections()).toBe(1);
    await waitFor(async () => (await connections()) === 0);
    server.pause();
    const eventId = await world.emit();
    await waitFor(async () => (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'timeout'`)).length > 0);
    server.resume();
    await world.waitForStatus(eventId, 'delivered');
    await server.stop();
  });

  test('never dials a blocked address', async () => {
    await addChannel('x', { type: 'none' }, 'nats://10.255.255.1:4222');
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'blocked_address'`)).length === 1);
  });
});
