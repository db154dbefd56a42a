// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import {
  createCertificate,
  createNatsAccounts,
  startNats,
  waitFor,
  type NatsHandle,
} from '@chainwatch/testing';
import { createBus, natsOptionsOf, type Bus } from './index.ts';

let directory: string;
const servers: NatsHandle[] = [];
const buses: Bus<'notifier'>[] = [];
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
};

async function startServer(configuration: string, name = 'server.conf'): Promise<NatsHandle> {
  const server = await startNats({ args: ['-c', file(`${servers.length}-${name}`, configuration)] });
  servers.push(server);
  return server;
}

async function connect(url: string, files: Record<string, string> = {}, waitMs = 5_000) {
  const bus = await createBus('notifier', { ...natsOptionsOf({ NATS_URL: url, ...files }), waitMs });
  buses.push(bus);
  return bus;
}

const withUser = (url: string, user: string): string => url.replace('nats://', `nats://${user}@`);
const userOf = (name: string): string =>
  `jetstream { enabled: true }\nauthorization { user: ${name}, password: "${name}:p@ss" }`;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nats-login-'));
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  rmSync(directory, { recursive: true });
});

describe('the login of a service', () => {
  it('gives each server the user and password of its own URL, also after a server was lost', async () => {
    const [ada, bob] = [await startServer(userOf('ada')), await startServer(userOf('bob'))];
    const url = [withUser(ada.url, 'ada:ada%3Ap%40ss'), withUser(bob.url, 'bob:bob%3Ap%40ss')].join(',');
    const restored: unknown[] = [];
    const note = (fields: object, message: string): void =>
      void (message.endsWith('restored') && restored.push((fields as { server: string }).server));
    const logger = { info: note, warn: () => undefined, error: () => undefined };
    buses.push(await createBus('notifier', { url, logger }));
    const arriveAt = ({ port }: NatsHandle) => waitFor(() => restored.at(-1) === `127.0.0.1:${port}`);
    // Whichever it took first, it is at ada when bob is gone.
    await ada.kill9();
    await ada.restart();
    await bob.kill9();
    await arriveAt(ada);
    for (const [from, to] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      await to.restart();
      await from.kill9();
      await arriveAt(to);
    }
  });

  it('comes to a server that was away when it connected', async () => {
    const [away, there] = [await startServer(userOf('ada')), await startServer(userOf('ada'))];
    const url = [away, there].map((server) => withUser(server.url, 'ada:ada%3Ap%40ss')).join(',');
    await away.kill9();
    // Each picks its first server at random: one of these at least tries the one that is away.
    const buses = await Promise.all(Array.from({ length: 10 }, () => connect(url)));
    await away.restart();
    await there.kill9();
    // Only the other server can answer now.
    await waitFor(() => Promise.all(buses.map((bus) => bus.readStream('block'))));
  });

  it('reads an nkey and a .creds file', async () => {
    const user = nkeys.createUser();
    const nkey = await startServer(
      `jetstream { enabled: true }\nauthorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    );
    const seed = file('user.nk', `${new TextDecoder().decode(user.getSeed())}\n`);
    expect((await connect(nkey.url, { NATS_NKEY_SEED_FILE: seed })).isConnected).toBe(true);
    await expect(connect(nkey.url, {}, 300)).rejects.toThrow(/Authorization Violation|AUTHORIZATION/i);

    const accounts = createNatsAccounts();
    const jwt = await startServer(accounts.configuration);
    const creds = file('user.creds', accounts.creds);
    expect((await connect(jwt.url, { NATS_CREDS_FILE: creds })).isConnected).toBe(true);
    const stranger = file('stranger.creds', accounts.strangerCreds);
    await expect(connect(jwt.url, { NATS_CREDS_FILE: stranger }, 300)).rejects.toThrow(
      /Authorization Violation|AUTHORIZATION/i,
    );
  });

  it('verifies the server by the authority that is given, and shows its own certificate', async () => {
    const own = createCertificate(directory, 'server');
    const client = createCertificate(directory, 'client');
    const server = await startServer(
      `tls { cert_file: "${own.path}", key_file: "${own.keyPath}", ca_file: "${client.path}", verify: true }`,
    );
    const url = `tls://localhost:${server.port}`;
    const files = { NATS_CA_FILE: own.path, NATS_CERT_FILE: client.path, NATS_KEY_FILE: client.keyPath };
    expect((await connect(url, files)).isConnected).toBe(true);
    // nats:// with these files is TLS as well.
    expect((await connect(url.replace('tls:', 'nats:'), files)).isConnected).toBe(true);
    await expect(connect(url, { ...files, NATS_CA_FILE: client.path }, 300)).rejects.toThrow(
      /did not answer.*(self-signed|verify)/i,
    );
    await expect(connect(url, { NATS_CA_FILE: own.path }, 300)).rejects.toThrow(/did not answer/);
  });

  it('sends no password in the clear to a tls:// server without TLS', async () => {
    const heard: string[] = [];
    const plain: Server = createServer((socket) => {
      socket.write('INFO {"server_id":"X","version":"2.9.10","proto":1,"max_payload":1048576}\r\n');
      socket.on('data', (bytes) => void heard.push(bytes.toString()));
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => plain.once('listening', resolve));
    const { port } = plain.address() as AddressInfo;
    await expect(connect(`tls://svc:hunter2@127.0.0.1:${port}`, {}, 300)).rejects.toThrow(
      /does not support 'tls'/,
    );
    expect(heard.join('')).not.toContain('hunter2');
    await new Promise((resolve) => plain.close(resolve));
  });
});
