// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager, StorageType, type JetStreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { createBus, type Bus } from '@chainwatch/data/bus';
import type { PayloadOf } from '@chainwatch/events';
import { repoDir } from '@chainwatch/testing/host';
import { findFreePort, spawnServer, waitFor, waitForPort, type ChildServer } from '@chainwatch/testing';
import { writeAccounts } from '../../../apps/cli/src/nats/write-accounts.ts';

const CHAIN = 'eip155:1';
const [ADA, BOB] = [randomUUID(), randomUUID()];
/** Below the repository, so that the snippets find their packages. */
const directory = join(repoDir, '.chainwatch', `nats-${randomUUID()}`);
const seedOf = (name: string): string => join(directory, `${name}.nk`);

const NKEYS = `
import base64, binascii
from nacl.signing import SigningKey

class KeyPair:
    def __init__(self, seed):
        self.key = SigningKey(base64.b32decode(seed + b"=" * (-len(seed) % 8))[2:34])

    @property
    def public_key(self):
        raw = bytes([20 << 3]) + bytes(self.key.verify_key)
        return base64.b32encode(raw + binascii.crc_hqx(raw, 0).to_bytes(2, "little")).rstrip(b"=")

    def sign(self, nonce):
        return self.key.sign(nonce).signature

    def wipe(self):
        pass

def from_seed(seed):
    return KeyPair(bytes(seed).strip())
`;

let server: ChildServer;
let url: string;
let analyzer: Bus<'tx-analyzer'>;
let gateway: Bus<'api-gateway'>;
const open: NatsConnection[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  mkdirSync(directory, { recursive: true });
  writeAccounts(directory, [ADA, BOB]);
  // As in the guide. A server that has JetStream by its command line alone gives none to accounts that a reload brings.
  const port = await findFreePort();
  url = `nats://127.0.0.1:${port}`;
  const configuration = `
listen: "127.0.0.1:${port}"
pid_file: "${join(directory, 'pid')}"
jetstream { store_dir: "${join(directory, 'store')}" }
include ./accounts.conf
`;
  writeFileSync(join(directory, 'server.conf'), configuration);
  server = spawnServer('nats-server', ['-c', join(directory, 'server.conf')]);
  await waitForPort(server, port);
  const files = { nkeySeedFile: seedOf('chainwatch') };
  analyzer = await createBus('tx-analyzer', { url, files });
  gateway = await createBus('api-gateway', { url, files });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all([...open, analyzer, gateway].map((one) => one?.close()));
  await server?.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

/** The example of the document, as an event of this project. */
function eventOf(projectId: string, eventId = randomUUID()): PayloadOf<'tx.detected'> {
  const document = JSON.parse(readFileSync(join(repoDir, 'docs/asyncapi.json'), 'utf8')) as {
    components: { messages: Record<string, { examples: { payload: PayloadOf<'tx.detected'> }[] }> };
  };
  const { payload } = document.components.messages['tx.detected']!.examples[0]!;
  return { ...payload, project_id: projectId, event_id: eventId };
}

async function publish(projectId: string): Promise<string> {
  const event = eventOf(projectId);
  await analyzer.publish('tx.detected', {
    tokens: [CHAIN, projectId],
    payload: event,
    messageId: event.event_id,
  });
  return event.event_id;
}

async function connectAs(name: string): Promise<NatsConnection> {
  const seed = new TextEncoder().encode(readFileSync(seedOf(name), 'utf8').trim());
  const connection = await connect({ servers: url, authenticator: nkeyAuthenticator(seed) });
  open.push(connection);
  return connection;
}

async function addStream(connection: NatsConnection): Promise<JetStreamManager> {
  const manager = await manage(connection);
  await manager.streams.add({ name: 'EVENTS', subjects: ['tx.>', 'balance.>'] });
  return manager;
}

/** Just after a reload the server has no JetStream for a new account yet. */
function manage(connection: NatsConnection): Promise<JetStreamManager> {
  return waitFor(() => jetstreamManager(connection, { timeout: 500 }).catch(() => undefined));
}

/** Every message of the account's own stream. */
async function readStored(manager: JetStreamManager): Promise<{ project_id: string; event_id: string }[]> {
  const { state } = await manager.streams.info('EVENTS');
  const numbers = Array.from({ length: state.messages }, (_, index) => state.first_seq + index);
  return Promise.all(
    numbers.map(async (seq) => (await manager.streams.getMessage('EVENTS', { seq }))!.json()),
  );
}

describe('an account for a project', () => {
  it('stores the events of its project and of no other', async () => {
    const [ada, bob] = [await addStream(await connectAs(ADA)), await addStream(await connectAs(BOB))];
    const ids = [await publish(ADA), await publish(BOB), await publish(ADA)];
    await waitFor(async () => (await ada.streams.info('EVENTS')).state.messages >= 2);
    await waitFor(async () => (await bob.streams.info('EVENTS')).state.messages >= 1);
    expect((await readStored(ada)).map(({ event_id }) => event_id)).toEqual([ids[0], ids[2]]);
    expect((await readStored(bob)).map(({ event_id }) => event_id)).toEqual([ids[1]]);
  });

  it('gets a type of event that a later release adds, without a new file', async () => {
    const heard: string[] = [];
    for (const project of [ADA, BOB]) {
      const connection = await connectAs(project);
      connection.subscribe('tx.>', {
        callback: (_, { subject }) => void heard.push(`${project}: ${subject}`),
      });
      await connection.flush();
    }
    const services = await connectAs('chainwatch');
    for (const project of [ADA, BOB])
      services.publish(`tx.invented.${CHAIN}.${project}`, JSON.stringify({ project_id: project }));
    await waitFor(() => heard.length >= 2);
    expect(heard.sort()).toEqual(
      [ADA, BOB].map((project) => `${project}: tx.invented.${CHAIN}.${project}`).sort(),
    );
  });

  it('sees neither streams nor messages of others, whatever it asks for', async () => {
    const ada = await connectAs(ADA);
    const heard: string[] = [];
    ada.subscribe('>', { callback: (_, message) => void heard.push(message.subject) });
    await ada.flush();
    const manager = await jetstreamManager(ada);
    expect((await manager.streams.names().next()).filter((name) => name !== 'EVENTS')).toEqual([]);
    for (const stream of ['tx', 'balance', 'key', 'block'])
      await expect(manager.streams.info(stream)).rejects.toThrow(/not found/);
    await publish(BOB);
    const revoked = { schema: 1 as const, key_id: randomUUID(), key_hash: 'ab'.repeat(32) };
    await gateway.publish('key.revoked', { tokens: [], payload: revoked, messageId: revoked.key_id });
    const own = await publish(ADA);
    await waitFor(() => heard.some((subject) => subject === `tx.detected.${CHAIN}.${ADA}`));
    expect(own).toBeDefined();
    expect(heard.filter((subject) => subject.includes(BOB) || subject.startsWith('key.'))).toEqual([]);
  });

  it('reaches nobody with what it publishes, itself or through a push consumer', async () => {
    const heard: unknown[] = [];
    gateway.subscribe('key.revoked', [], ({ payload }) => void heard.push(payload.key_id));
    const services = await connectAs('chainwatch');
    const received: string[] = [];
    services.subscribe('>', { callback: (_, { subject }) => void received.push(subject) });
    await services.flush();
    const before = (await (await jetstreamManager(services)).streams.info('tx')).state.last_seq;

    const ada = await connectAs(ADA);
    const forged = JSON.stringify({ schema: 1, key_id: randomUUID(), key_hash: 'cd'.repeat(32) });
    ada.publish('key.revoked', forged);
    ada.publish(`tx.detected.${CHAIN}.${BOB}`, JSON.stringify(eventOf(BOB)));
    ada.publish(`tx.detected.${CHAIN}.${ADA}`, JSON.stringify(eventOf(ADA)));
    const manager = await jetstreamManager(ada);
    await manager.consumers.add('EVENTS', { name: 'push', deliver_subject: 'key.revoked' });
    await ada.flush();

    const keyId = randomUUID();
    await gateway.publish('key.revoked', {
      tokens: [],
      payload: { schema: 1, key_id: keyId, key_hash: 'ef'.repeat(32) },
      messageId: keyId,
    });
    await waitFor(() => heard.includes(keyId));
    expect(heard).toEqual([keyId]);
    expect(received.filter((subject) => subject.startsWith('tx.'))).toEqual([]);
    expect((await (await jetstreamManager(services)).streams.info('tx')).state.last_seq).toBe(before);
    const bob = await jetstreamManager(await connectAs(BOB));
    const stored = await readStored(bob);
    expect(stored.every(({ project_id }) => project_id === BOB)).toBe(true);
    const { state } = await bob.streams.info('EVENTS');
    const own = await publish(BOB);
    await waitFor(async () => (await bob.streams.info('EVENTS')).state.messages > state.messages);
    expect((await readStored(bob)).at(-1)!.event_id).toBe(own);
    await manager.consumers.delete('EVENTS', 'push');
  });

  it('has a bound: streams, consumers and no memory of the server', async () => {
    const manager = await jetstreamManager(await connectAs(BOB));
    await expect(
      manager.streams.add({ name: 'RAM', subjects: ['ram'], storage: StorageType.Memory, max_bytes: 1_024 }),
    ).rejects.toThrow();
    for (const name of ['S2', 'S3', 'S4']) await manager.streams.add({ name, subjects: [name] });
    await expect(manager.streams.add({ name: 'S5', subjects: ['S5'] })).rejects.toThrow(
      /maximum number of streams/,
    );
    // Others have their own.
    expect((await jetstreamManager(await connectAs(ADA))).streams).toBeDefined();
  });

  it('is made and ended by a reload, without touching others', async () => {
    const carol = randomUUID();
    const ada = await connectAs(ADA);
    const closed = { ada: false };
    void ada.closed().then(() => (closed.ada = true));
    writeAccounts(directory, [carol]);
    reload();
    const third = await waitFor(() => connectAs(carol).catch(() => undefined));
    const manager = await addStream(third);
    const id = await publish(carol);
    await waitFor(async () => (await manager.streams.info('EVENTS')).state.messages === 1);
    expect((await readStored(manager))[0]!.event_id).toBe(id);

    rmSync(seedOf(carol));
    expect(writeAccounts(directory, [])).toEqual([ADA, BOB].sort());
    reload();
    await waitFor(() => third.isClosed() || !isAlive(third));
    expect([closed.ada, analyzer.isConnected]).toEqual([false, true]);
  });
});

describe('docs/guides/nats-subscribers.md', () => {
  const page = readFileSync(join(repoDir, 'docs/guides/nats-subscribers.md'), 'utf8');
  const snippet = (language: string): string => page.split(`\`\`\`${language}\n`)[1]!.split('\n```')[0]!;

  it('has a JavaScript loop that reads on after a crash', async () => {
    writeFileSync(join(directory, 'app.mjs'), snippet('js'));
    await runLoop(process.execPath, [join(directory, 'app.mjs')]);
  });

  it('has a Python loop that reads on after a crash', async () => {
    const packages = join(directory, 'python');
    const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--target', packages];
    if (spawnSync('python3', [...pip, 'nats-py', 'nkeys']).status !== 0) {
      if (spawnSync('python3', [...pip, 'nats-py', 'pynacl']).status !== 0) {
        process.stderr.write('skipped: python3 with pip and nats-py could not be had\n');
        return;
      }
      // An index without `nkeys`: what the client calls of it, over the same library that it wraps.
      writeFileSync(join(packages, 'nkeys.py'), NKEYS);
    }
    writeFileSync(join(directory, 'app.py'), snippet('python'));
    process.env['PYTHONPATH'] = packages;
    await runLoop('python3', [join(directory, 'app.py')]);
  }, 180_000);

  it('has a Go program that is formatted', () => {
    const text = `${snippet('go')}\n`;
    const formatted = spawnSync('gofmt', [], { input: text, encoding: 'utf8' });
    if (formatted.error !== undefined) {
      process.stderr.write('skipped: gofmt is not installed\n');
      return;
    }
    expect([formatted.stderr, formatted.stdout]).toEqual(['', text]);
  });
});

/** Every event comes, also those of the time in which the program was dead; those that it acknowledged do not come again. */
async function runLoop(command: string, args: readonly string[]): Promise<void> {
  const project = randomUUID();
  writeAccounts(directory, [project]);
  reload();
  const manager = await manage(await waitFor(() => connectAs(project).catch(() => undefined)));
  const start = (): { child: ChildProcess; seen: string[] } => {
    const env = { ...process.env, NATS_URL: url, NATS_NKEY_SEED_FILE: seedOf(project) };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const seen: string[] = [];
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      seen.splice(0, Infinity, ...text.split('\n').slice(0, -1));
    });
    return { child, seen };
  };
  const first = start();
  await waitFor(
    async () => (await manager.consumers.info('EVENTS', 'app').catch(() => undefined)) !== undefined,
  );
  const line = (id: string): string => `transaction.detected ${id}`;
  const before = [await publish(project), await publish(project)];
  await waitFor(() => first.seen.length >= 2);
  expect(first.seen).toEqual(before.map(line));
  await waitFor(async () => (await manager.consumers.info('EVENTS', 'app')).num_ack_pending === 0);
  first.child.kill('SIGKILL');
  // The server has seen it go: it sends nothing to the dead, which would come again after 30 s only.
  await waitFor(async () => (await manager.consumers.info('EVENTS', 'app')).num_waiting === 0);
  const after = [await publish(project), await publish(project)];
  const second = start();
  await waitFor(() => second.seen.length >= 2);
  expect(second.seen).toEqual(after.map(line));
  second.child.kill('SIGKILL');
}

function reload(): void {
  execFileSync('kill', ['-HUP', readFileSync(join(directory, 'pid'), 'utf8').trim()]);
}

const isAlive = (connection: NatsConnection): boolean =>
  (connection as unknown as { protocol: { connected: boolean } }).protocol.connected;
