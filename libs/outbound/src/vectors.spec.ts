// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, isIP, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { Dial } from '@chainwatch/chain-core';
import {
  assertAllowedUrl,
  createDial,
  createHttpClient,
  findReachable,
  resolveAllowed,
  type HttpClient,
  type ResolveHost,
} from './index.ts';
import { startDnsServer, type DnsServer } from './spec-dns-server.ts';

const { blocked_addresses: addresses, blocked_urls: urls } = JSON.parse(
  readFileSync(new URL('./blocked.vectors.json', import.meta.url), 'utf8'),
) as Record<'blocked_addresses' | 'blocked_urls', string[]>;
const connectTimeoutMs = 3_000;

/** Every spelling that inet_aton takes: one to four parts, each decimal, octal or hexadecimal, with leading zeros. */
function spellings(address: string): string[] {
  const bytes = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = bytes;
  const parts = [
    [a, b, c, d],
    [a, b, c * 256 + d],
    [a, (b * 256 + c) * 256 + d],
    [((a * 256 + b) * 256 + c) * 256 + d],
  ];
  const bases = [
    (n: number) => String(n),
    (n: number) => `0${n.toString(8)}`,
    (n: number) => `0x${n.toString(16)}`,
    (n: number) => `0X${n.toString(16).toUpperCase().padStart(4, '0')}`,
    (n: number) => `000${n.toString(8)}`,
  ];
  const uniform = parts.flatMap((numbers) => bases.map((write) => numbers.map(write).join('.')));
  const mixed = parts
    .slice(0, 3)
    .map((numbers) => numbers.map((number, index) => bases[index % 3]!(number)).join('.'));
  return [...uniform, ...mixed];
}

const encoded = [
  '127.0.0.1',
  '127.1.2.3',
  '169.254.169.254',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.100.100.200',
  '0.0.0.0',
].flatMap(spellings);
const bracket = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

let canary: Server;
let port: number;
let reached = 0;
let dns: DnsServer;
let dial: Dial;
let client: HttpClient;
let vectors = 0;
beforeAll(async () => {
  canary = createServer((_req, res) => res.end('reached')).on('connection', () => (reached += 1));
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve));
  port = (canary.address() as AddressInfo).port;
  dns = await startDnsServer();
  dial = createDial({ allow: [], resolve: resolverOf(dns) });
  client = createHttpClient({ dial, connectTimeoutMs });
});
afterAll(async () => {
  expect(reached).toBe(0);
  expect(vectors).toBeGreaterThanOrEqual(500);
  client.close();
  await dns.stop();
  canary.close();
});

/** Asks the local server, as the system's resolver would ask the operator's. */
function resolverOf({ port: dnsPort }: DnsServer): ResolveHost {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  return async (host) => {
    const [four, six] = await Promise.all([
      resolver.resolve4(host).catch(() => []),
      resolver.resolve6(host).catch(() => []),
    ]);
    return [
      ...four.map((address) => ({ address, family: 4 })),
      ...six.map((address) => ({ address, family: 6 })),
    ];
  };
}

/** The three ways out: requests (webhooks, Telegram, nodes), web sockets (nodes) and sockets of the NATS client. */
async function expectRefusal(url: string): Promise<void> {
  vectors += 1;
  await expect(client.request({ url, method: 'GET' })).rejects.toThrow();
  const { hostname } = new URL(url);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  await expect(resolveAllowed(host, dial, 2_000)).rejects.toThrow(/is blocked|could not be resolved/);
  await expect(findReachable({ host, port, dial, timeoutMs: 2_000 })).rejects.toThrow();
  await expect(openSocket(host)).rejects.toThrow();
  await expect(assertAllowedUrl(url, dial)).rejects.toThrow();
}

async function openSocket(host: string): Promise<unknown> {
  dial.check(`http://${bracket(host)}`);
  const socket = connect({ host, port, lookup: dial.lookup as never });
  return new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject)).finally(() =>
    socket.destroy(),
  );
}

test('literal addresses of every blocked range', async () => {
  for (const address of addresses.filter((one) => !one.includes('%')))
    await expectRefusal(`http://${bracket(address)}:${port}/`);
});

test('every spelling of IPv4 that a resolver or a URL parser takes, in URLs and as bare hosts of other schemes', async () => {
  for (const host of encoded) {
    await expectRefusal(`http://${host}:${port}/`);
    // Not a special scheme: the URL parser leaves the host as written, and the resolver interprets it in its own way.
    const bare = new URL(`nats://${host}:${port}`).hostname;
    expect(bare).toBe(host);
    await expect(resolveAllowed(bare, createDial({ allow: [] }), 2_000)).rejects.toThrow(
      /is blocked|could not be resolved/,
    );
    vectors += 1;
  }
});

test('tricks with user names, separators, fragments, unicode and escapes', async () => {
  for (const url of urls) {
    const parsed = new URL(url.replace(/^(ws|wss):/, 'http:'));
    parsed.protocol = 'http:';
    parsed.port = String(port);
    await expectRefusal(parsed.href);
  }
});

test('names that resolve to a blocked address, alone or beside a public one', async () => {
  for (const [index, address] of addresses.filter((one) => !one.includes('%')).entries()) {
    const six = isIP(address) === 6;
    dns.answer(`a${index}.test`, [[address]]);
    await expectRefusal(`http://a${index}.test:${port}/`);
    if (index % 10 > 0) continue;
    dns.answer(`b${index}.test`, [six ? ['2606:4700:4700::1111', address] : ['1.1.1.1', address]]);
    await expectRefusal(`http://b${index}.test:${port}/`);
  }
});

test('names that point somewhere else each time they are asked for', async () => {
  for (const [index, address] of [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '169.254.169.254',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
  ].entries()) {
    const name = `rebind${index}.test`;
    dns.answer(name, [['1.1.1.1'], [address]]);
    await assertAllowedUrl(`http://${name}:${port}/`, dial);
    await expect(client.request({ url: `http://${name}:${port}/`, method: 'GET' })).rejects.toThrow(
      'is blocked',
    );
    await expect(resolveAllowed(name, dial, 2_000)).rejects.toThrow('is blocked');
    vectors += 1;
  }
});

test('a web socket to a blocked name', async () => {
  dns.answer('ws.test', [['127.0.0.1']]);
  const socket = new WebSocket(`ws://ws.test:${port}/`, {
    lookup: dial.lookup as never,
    followRedirects: false,
  });
  await expect(
    new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject)),
  ).rejects.toThrow('is blocked');
  vectors += 1;
});

test('redirects out of an allowed address, whatever the status and the way it is written', async () => {
  const locations = ['http://127.0.0.1', 'http://[::1]', 'http://0', '//127.0.0.1', 'http://2130706433'].map(
    (base) => `${base}:${port}/`,
  );
  let location = '';
  let status = 302;
  const redirecting = createServer((_req, res) =>
    res.writeHead(status, { location, refresh: `0; url=${location}` }).end(),
  );
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.2', resolve));
  const allowing = createHttpClient({ dial: createDial({ allow: ['127.0.0.2/32'] }), connectTimeoutMs });
  for (location of locations) {
    for (status of [301, 302, 303, 307, 308, 300, 200]) {
      const response = await allowing.request({
        url: `http://127.0.0.2:${(redirecting.address() as AddressInfo).port}/`,
        method: 'POST',
      });
      await text(response.body);
      expect(response.status).toBe(status);
      vectors += 1;
    }
  }
  allowing.close();
  redirecting.close();
});
