// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const TRON = 'tron:0x2b6653dc';

let world: SpecWorld;
let node: SpecNode;
let tron: SpecNode;
let gateway: RpcProxy & { readonly url: string };
let key: string;
const lines: unknown[] = [];
const write = (...line: unknown[]): void => void lines.push(line.map(String), ...line);

beforeAll(async () => {
  world = await startSpecWorld();
  [node, tron] = await Promise.all([
    startSpecNode(),
    startSpecNode(answerResult('"0x1"'), { chainId: 0x2b6653dc }),
  ]);
  key = world.project.keys.rpc;
  gateway = await world.open(
    { 'eip155:1': [node.url], [TRON]: [tron.url] },
    { logger: { info: write, warn: write, error: write } as never },
  );
  await waitFor(() =>
    [...gateway.directory.chains].every((chain) =>
      chain.upstreams.every((upstream) => chain.serves(upstream)),
    ),
  );
});
afterAll(async () => {
  await world.stop();
  await Promise.all([node.stop(), tron.stop()]);
});
beforeEach(() => {
  node.seen.length = 0;
  tron.seen.length = 0;
  node.answer = answerResult('"0x1"');
});

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

/** Sends exactly these headers. Not with fetch, which refuses URLs with a password. */
async function post(
  path: string,
  headers: Record<string, string>,
  options: { auth?: string } = {},
): Promise<Asked> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[]}';
  const req = request(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    ...options,
  }).end(body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of res) text += String(piece);
  return { status: res.statusCode!, text, headers: res.headers };
}

const places: readonly (readonly [
  string,
  (of: string) => readonly [path: string, headers: Record<string, string>, options?: { auth: string }],
])[] = [
  ['X-Api-Key', (of) => ['', { 'x-api-key': of }]],
  ['Authorization: Bearer', (of) => ['', { authorization: `Bearer ${of}` }]],
  ['the password of Basic, as Bitcoin clients know it', (of) => ['', {}, { auth: `user:${of}` }]],
  ['?api-key=', (of) => [`?api-key=${of}`, {}]],
  ['/{chain}/{key}', (of) => [`/${of}`, {}]],
];

it.each(places)('a key in %s is the key of a call, and no node sees it', async (_name, place) => {
  const [path, headers, options] = place(key);
  const { status, text } = await post(`/ethereum${path}`, headers, options);
  expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":"0x1"}']);
  const [{ url, rawHeaders, body }] = node.seen as [(typeof node.seen)[0]];
  expect([url, JSON.stringify(rawHeaders) + body]).toEqual([
    '/',
    expect.not.stringMatching(/svc_|authorization/i),
  ]);
});

it.each([
  ['the path', (of: string) => `/tron/${of}/wallet/getaccount?visible=true`],
  ['the query', (of: string) => `/tron/wallet/getaccount?api-key=${of}&visible=true`],
])('a key in %s is taken out of the address of an HTTP interface', async (_name, pathOf) => {
  tron.answer = (_seen, res) => void res.setHeader('content-type', 'application/json').end('{"balance":1}');
  const { status, text } = await post(pathOf(key), {});
  expect([status, text, tron.seen.map(({ url }) => url)]).toEqual([
    200,
    '{"balance":1}',
    ['/wallet/getaccount?visible=true'],
  ]);
});

it.each(places.slice(1))(
  'a key in X-Api-Key and another one in %s are 401, without a challenge',
  async (_name, place) => {
    const [path, headers, options] = place(await world.makeKey(['rpc:read']));
    const {
      status,
      text,
      headers: got,
    } = await post(`/ethereum${path}`, { 'x-api-key': key, ...headers }, options);
    expect([status, text, node.seen.length, got['www-authenticate']]).toEqual([
      401,
      '{"error":"expected one API key, got different ones in different places"}',
      0,
      undefined,
    ]);
  },
);

it.each([
  ['Authorization: Bearer', '', { authorization: 'Bearer KEY' }],
  ['the password of Basic', '', { authorization: 'BASIC' }],
  ['?api-key=', '?api-key=KEY', {}],
  ['/{chain}/{key}', '/KEY', {}],
])('a key in %s opens a socket, and another one beside it does not', async (_name, path, headers) => {
  const other = await world.makeKey(['rpc:read']);
  const fill = (text: string): string =>
    text.replace('KEY', key).replace('BASIC', `Basic ${Buffer.from(`u:${key}`).toString('base64')}`);
  const filled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fill(value as string)]),
  );
  const open = (more: Record<string, string>): WebSocket =>
    new WebSocket(`${gateway.url.replace('http', 'ws')}/ethereum${fill(path)}`, {
      headers: { ...filled, ...more },
    });
  const socket = open({});
  await once(socket, 'open');
  socket.terminate();
  const [, res] = (await once(
    open({ 'x-api-key': other }).on('error', () => undefined),
    'unexpected-response',
  )) as [unknown, { statusCode: number }];
  expect(res.statusCode).toBe(401);
});

it.each([
  ['/ethereum', 200],
  ['/ethereum', 403],
  ['/tron/wallet/getaccount', 200],
  ['/tron/wallet/getaccount', 403],
])('passes on no challenge of a node, nor its word on credentials: %s, %i', async (path, status) => {
  node.answer = tron.answer = (_seen, res) =>
    sendJson(res, {
      body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
      status,
      headers: {
        'www-authenticate': 'Basic realm="node"',
        'access-control-allow-credentials': 'true',
        'access-control-allow-origin': 'https://a.example',
      },
    });
  const { headers } = await post(path, { 'x-api-key': key, origin: 'https://a.example' });
  expect(Object.keys(headers).filter((name) => /^(access-control-|www-)/.test(name))).toEqual([]);
  expect(path === '/ethereum' ? node.seen.length : tron.seen.length).toBeGreaterThan(0);
});

it('leaves no key in a log line or in what is counted', async () => {
  for (const [, place] of places) {
    for (const each of [key, `${key.slice(0, -1)}!`]) {
      const [path, headers, options] = place(each);
      await post(`/ethereum${path}`, headers, options);
      await post(`/tron${path}${path.startsWith('?') ? '' : '/wallet/getnowblock'}`, headers, options);
    }
  }
  await gateway.flushUsage();
  const { rows } = await world.db.query<{ text: string }>('SELECT rpc_usage::text AS text FROM rpc_usage');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify([rows, lines])).not.toContain(key.slice(0, -1));
});
