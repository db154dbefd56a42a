// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCertificate, startBlackHole, type BlackHole } from '@chainwatch/testing';
import { connectToAny } from './connect-to-any.ts';
import { createDial, createGuardedSockets, createHttpClient, findReachable } from './index.ts';
import { startDnsServer, type DnsServer } from './spec-dns-server.ts';

const LIVE = '127.0.0.1';
const HOLE = '127.0.0.9';
const ALLOW = ['127.0.0.0/8', '::1/128'];

let dns: DnsServer;
let server: Server;
let port: number;
let hole: BlackHole;
let connections = 0;
beforeAll(async () => {
  dns = await startDnsServer();
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  server.listen(0, LIVE);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  hole = await startBlackHole({ host: HOLE, port });
});
beforeEach(() => (connections = 0));
afterAll(async () => {
  await hole.stop();
  await dns.stop();
  server.close();
});

function dialOf(allow: readonly string[] = ALLOW) {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dns.port}`]);
  return createDial({
    allow,
    resolve: async (host) => {
      const [four, six] = await Promise.all([
        resolver.resolve4(host).catch(() => []),
        resolver.resolve6(host).catch(() => []),
      ]);
      return [
        ...six.map((address) => ({ address, family: 6 })),
        ...four.map((address) => ({ address, family: 4 })),
      ];
    },
  });
}

const targetOf = (host: string, timeoutMs = 2_000) => ({ host, port, dial: dialOf(), timeoutMs });

describe('a name with several addresses', () => {
  it.each<[string, readonly string[]]>([
    ['the first refuses', ['127.0.0.2', LIVE]],
    ['the last refuses', [LIVE, '127.0.0.2']],
    ['the first is dead', [HOLE, LIVE]],
    ['the last is dead', [LIVE, HOLE]],
    ['IPv6 refuses', ['::1', LIVE]],
    ['only the last of each kind answers', ['::1', '127.0.0.2', HOLE, '127.0.0.3', '127.0.0.4', HOLE, LIVE]],
    ['nineteen are dead', [...Array<string>(19).fill(HOLE), LIVE]],
  ])('is reached where %s', async (name, addresses) => {
    const host = `${name.replaceAll(' ', '-').toLowerCase()}.test`;
    dns.answer(host, [addresses]);
    expect(await findReachable(targetOf(host))).toBe(LIVE);
    const openSocket = createGuardedSockets(dialOf(), `http://${host}:${port}`, { connectTimeoutMs: 2_000 });
    const socket = openSocket(undefined, () => socket.destroy());
    await once(socket, 'connect');
    const client = createHttpClient({ dial: dialOf(), connectTimeoutMs: 2_000 });
    const { body } = await client.request({ url: `http://${host}:${port}/`, method: 'POST', body: '{}' });
    expect(await text(body)).toBe('ok');
    client.close();
  });

  it('fails with the errors of all of them, and with the time-out where one does not answer', async () => {
    dns.answer('refusing.test', [['127.0.0.2', '127.0.0.3', '::1']]);
    await expect(connectToAny(targetOf('refusing.test'))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      errors: [{ address: '::1' }, { address: '127.0.0.2' }, { address: '127.0.0.3' }],
    });
    dns.answer('one.test', [['127.0.0.2']]);
    await expect(connectToAny(targetOf('one.test'))).rejects.toMatchObject({ address: '127.0.0.2' });
    dns.answer('dead.test', [['127.0.0.2', HOLE]]);
    await expect(connectToAny(targetOf('dead.test', 50))).rejects.toMatchObject({ code: 'connect_timeout' });
  });

  it('is not dialled at all where one of them is blocked', async () => {
    dns.answer('blocked.test', [[LIVE, '10.0.0.1']]);
    await expect(connectToAny(targetOf('blocked.test'))).rejects.toMatchObject({ code: 'blocked_address' });
    dns.answer('blocked6.test', [['fd00::1', LIVE]]);
    await expect(findReachable(targetOf('blocked6.test'))).rejects.toMatchObject({ code: 'blocked_address' });
    expect(connections).toBe(0);
  });

  it('is dialled at twenty of them', async () => {
    dns.answer('many.test', [[...Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`), LIVE]]);
    await expect(connectToAny(targetOf('many.test'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(connections).toBe(0);
  });

  it('fails in time where its name server does not answer', async () => {
    const dial = createDial({ allow: ALLOW, resolve: () => new Promise(() => undefined) });
    await expect(connectToAny({ host: 'slow.test', port, dial, timeoutMs: 20 })).rejects.toMatchObject({
      code: 'unresolvable_host',
    });
  });

  it('may be dialled without a dial, by those who name no stranger’s host', async () => {
    const socket = await connectToAny({ host: 'localhost', port, dial: undefined, timeoutMs: 5_000 });
    expect(socket.remoteAddress).toBe(LIVE);
    socket.destroy();
  });

  it('is found without a connection where it is one address', async () => {
    dns.answer('single.test', [['127.0.0.2']]);
    expect(await findReachable(targetOf('single.test'))).toBe('127.0.0.2');
  });
});

it('checks certificates for the name, whichever address answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'));
  const { path, keyPath } = createCertificate(folder);
  const secure = createSecureServer({ cert: readFileSync(path), key: readFileSync(keyPath) }, (_req, res) =>
    res.end('ok'),
  );
  secure.listen(0, LIVE);
  await once(secure, 'listening');
  const { port: securePort } = secure.address() as AddressInfo;
  dns.answer('secure.test', [['127.0.0.2', LIVE]]);
  const client = createHttpClient({ dial: dialOf(), connectTimeoutMs: 5_000 });
  const ask = (host: string) => client.request({ url: `https://${host}:${securePort}/`, method: 'GET' });
  await expect(ask('secure.test')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  await expect(ask(LIVE)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  // It speaks no TLS.
  await expect(client.request({ url: `https://${LIVE}:${port}/`, method: 'GET' })).rejects.toMatchObject({
    code: expect.stringMatching(/^(EPROTO|ERR_SSL|ECONNRESET)/),
  });
  // It takes the connection, and says nothing.
  const mute = createServer((socket) => void socket.on('error', () => undefined).resume());
  mute.listen(0, LIVE);
  await once(mute, 'listening');
  const hasty = createHttpClient({ dial: dialOf(), connectTimeoutMs: 50 });
  await expect(
    hasty.request({ url: `https://${LIVE}:${(mute.address() as AddressInfo).port}/`, method: 'GET' }),
  ).rejects.toMatchObject({ code: 'connect_timeout' });
  // Kept, and closed as the second request arrives.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const dropped = new WeakSet<object>();
  secure.prependListener('request', (req) => {
    if (dropped.has(req.socket)) req.socket.destroy();
    dropped.add(req.socket);
  });
  for (let count = 0; count < 3; count += 1) expect(await text((await ask('secure.test')).body)).toBe('ok');
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  client.close();
  hasty.close();
  mute.close();
  secure.close();
  rmSync(folder, { recursive: true });
});
