// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const TRON = 'tron:0x2b6653dc';
const SECRET = 'SECRET-PROVIDER-KEY';
const LARGE = 300_000;

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** A gateway with the first stand-in only. */
let single: Gateway;
/** A gateway with both stand-ins, which strongly prefers the first one. */
let pair: Gateway;

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([0, 1].map(() => startSpecNode()) as [Promise<SpecNode>, Promise<SpecNode>]);
  const nodes = [
    { url: one.url, weight: 1_000, headers: {} },
    { url: two.url, weight: 0.000_001, headers: {} },
  ];
  [single, pair] = await Promise.all([
    world.open({ 'eip155:1': [one.url], [TRON]: [one.url] }),
    world.open({ 'eip155:1': nodes, [TRON]: nodes }),
  ]);
});
afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  for (const node of [one, two]) {
    const { eth_chainId: _, ...health } = node.health;
    node.health = { ...health, eth_chainId: () => (isTron ? '0x2b6653dc' : '0x1') };
    node.health.getblock = ([number]) => ({
      blockID: `${'0'.repeat(56)}${number === 0 ? '2b6653dc' : '00000064'}`,
      block_header: { raw_data: number === 0 ? {} : { number: 100 } },
    });
  }
  two.answer = answerResult('"two"');
  await serve('ethereum');
  // A key goes on with the node that took its last write.
  for (const chain of pair.directory.chains) chain.sessions.forget();
  for (const node of [one, two]) node.seen.length = 0;
});

/** Which chain the stand-ins say they serve. */
let isTron = false;

async function serve(name: string): Promise<void> {
  isTron = name === 'tron';
  const sides = [single, pair].flatMap(({ directory }) => {
    const chain = directory.find(name)!;
    return chain.paths === undefined ? [chain] : [chain, chain.paths];
  });
  await waitFor(() =>
    sides.every(({ upstreams }) =>
      upstreams.every(({ isChecked, isDown, isWrongChain }) => isChecked && !isDown && !isWrongChain),
    ),
  );
}

const call = (method = 'eth_getBlockByHash', id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: ['0x01', true] });

async function post(
  { url }: Gateway,
  { body = call(), path = '/ethereum', headers = {} as Record<string, string> } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc, ...headers },
  });
  return { status: response.status, text: await response.text() };
}

const pages: readonly [string, string][] = [
  ['nothing', ''],
  ['spaces', '  \n '],
  ['a page', `<html>${SECRET}</html>`],
  ['a text', SECRET],
  ['null', 'null'],
  ['a number', '5'],
  ['an object of something else', `{"message":"${SECRET}"}`],
  ['an id alone', '{"jsonrpc":"2.0","id":1}'],
  ['half a reply', '{"jsonrpc":"2.0","id":1,"result":"0x'],
  ['a reply and a page', `{"jsonrpc":"2.0","id":1,"result":"0x1"}<html>${SECRET}`],
  ['a result inside', `{"data":{"jsonrpc":"2.0","id":1,"result":"${SECRET}"}}`],
];
const encodings: readonly [string, (text: string) => Buffer][] = [
  ['plain', (text) => Buffer.from(text)],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
];
const cases = pages.flatMap(([name, page]) =>
  encodings.flatMap(([encoding, encode]) =>
    sizesOf(page).map((bytes) => [name, encoding, bytes, encode(grow(page, bytes))] as const),
  ),
);

/** Where only the end of a long reply is wrong, its beginning has been passed on: see below. */
function sizesOf(page: string): readonly number[] {
  return page.endsWith('"0x') ? [0] : [0, LARGE];
}

/** The same, larger: compressed bodies do not shrink below what is held. */
function grow(page: string, bytes: number): string {
  if (bytes === 0) return page;
  const noise = Array.from({ length: bytes }, () => Math.random().toString(36).slice(2, 4)).join('');
  return page.includes(SECRET) ? page.replace(SECRET, `${SECRET}${noise}`) : `${page}${' '.repeat(bytes)}`;
}

function answerWith(body: Buffer, encoding: string): SpecNode['answer'] {
  return (_seen, res) =>
    sendJson(res, { body, headers: encoding === 'plain' ? {} : { 'content-encoding': encoding } });
}

describe('status 200 without JSON-RPC', () => {
  it.each(cases)('%s, %s, %i bytes more: another node is asked', async (_name, encoding, _bytes, body) => {
    one.answer = answerWith(body, encoding);
    const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    expect(await post(pair, { headers })).toEqual({
      status: 200,
      text: '{"jsonrpc":"2.0","id":1,"result":"two"}',
    });
    const { error } = pair.directory.find('ethereum')!.outcomes.get(upstreamOf(pair))!;
    expect([one.seen.length, error > 0]).toEqual([1, true]);
  });

  it.each(pages)('%s of the only node: 502, or an error of its own in a batch', async (_name, page) => {
    for (const bytes of sizesOf(page)) {
      one.answer = answerWith(Buffer.from(grow(page, bytes)), 'plain');
      expect(await post(single)).toEqual({ status: 502, text: '{"error":"network unavailable"}' });
      expect(await post(single, { body: `[${call()}]` })).toEqual({
        status: 200,
        text: '[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"network unavailable"}}]',
      });
      upstreamOf(single).recover();
    }
  });

  it('takes a node out of service that sends nothing else', async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '' });
    const { upstreams } = pair.directory.find('ethereum')!;
    await waitFor(async () => {
      expect((await post(pair)).text).toContain('two');
      return upstreams.some(({ reason }) => reason?.includes('answered with no reply') === true);
    });
  });

  it('sends a write that is signed to another node, and any other write nowhere else', async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '' });
    expect(await post(pair, { body: call('eth_sendRawTransaction') })).toMatchObject({ status: 200 });
    upstreamOf(pair).recover();
    pair.directory.find('ethereum')!.sessions.forget();
    two.seen.length = 0;
    expect(await post(pair, { body: call('evm_mine') })).toMatchObject({ status: 502 });
    expect(two.seen).toHaveLength(0);
  });

  it('is right for a notification that is answered with nothing, and only for that', async () => {
    one.answer = (_seen, res) => sendJson(res, { body: '' });
    const body = '{"jsonrpc":"2.0","method":"eth_chainId"}';
    expect(await post(single, { body })).toEqual({ status: 204, text: '' });
    one.answer = (_seen, res) => sendJson(res, { body: SECRET });
    expect((await post(single, { body })).status).toBe(502);
  });

  it('is found in an encoding that the gateway cannot read, which it never asks for', async () => {
    one.answer = answerWith(Buffer.from('(zstd)'), 'zstd');
    const headers = { 'accept-encoding': 'zstd, gzip;q=0.5, *' };
    expect((await post(pair, { headers })).text).toContain('two');
    expect(one.seen[0]!.headers['accept-encoding']).toBe('gzip;q=0.5');
  });
});

it.each([
  ['another page', '<html>'],
  ['half of it', ''],
])('a large reply with %s at its end: the client is cut before the last byte', async (_name, end) => {
  const body = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(LARGE)}"${end}`;
  for (const length of [Buffer.byteLength(body), undefined]) {
    one.answer = (_seen, res) => {
      res.writeHead(200, length === undefined ? {} : { 'content-length': length });
      // In pieces: the end is not there when the first bytes are judged.
      res.write(body.slice(0, LARGE / 2));
      setTimeout(() => res.end(body.slice(LARGE / 2)), 50);
    };
    const socket = connect(single.port, '127.0.0.1').on('error', () => undefined);
    let got = '';
    let isClosed = false;
    socket.on('data', (bytes: Buffer) => (got += bytes.toString())).on('close', () => (isClosed = true));
    const asked = call();
    socket.write(
      `POST /ethereum HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.rpc}\r\nContent-Type: application/json\r\nContent-Length: ${asked.length}\r\n\r\n${asked}`,
    );
    await waitFor(() => isClosed);
    // Neither all bytes that were announced nor the end of a chunked body.
    if (length === undefined) expect(got.endsWith('0\r\n\r\n')).toBe(false);
    else expect(got.length - got.indexOf('\r\n\r\n') - 4).toBeLessThan(length);
    upstreamOf(single).recover();
  }
});

it.each([302, 404, 500])('JSON that is no JSON-RPC does not pass under status %i either', async (status) => {
  for (const body of [`{"message":"${SECRET}"}`, `{"message":"${SECRET}${'x'.repeat(LARGE)}"}`]) {
    one.answer = (_seen, res) => sendJson(res, { body, status });
    expect((await post(single)).text).not.toContain(SECRET);
    upstreamOf(single).recover();
  }
});

describe('a path of TRON', () => {
  beforeEach(() => serve('tron'));

  it.each([
    ['nothing', ''],
    ['a page', `<html>${SECRET}</html>`],
    ['a text', SECRET],
    ['half an object', `{"block":"${SECRET}"`],
  ])('that is answered with %s is asked elsewhere, otherwise 502', async (_name, page) => {
    for (const bytes of [0, LARGE]) {
      one.answer = answerWith(Buffer.from(grow(page, bytes)), 'plain');
      two.answer = (_seen, res) => sendJson(res, { body: '{"two":1}' });
      const path = '/tron/wallet/getnowblock';
      const isCut = page.startsWith('{') && bytes > 0;
      // The end of a long answer comes after its beginning was passed on.
      if (isCut) await expect(post(single, { path })).rejects.toThrow();
      else {
        expect(await post(pair, { path })).toEqual({ status: 200, text: '{"two":1}' });
        expect(await post(single, { path })).toEqual({
          status: 502,
          text: '{"error":"network unavailable"}',
        });
      }
      for (const gateway of [single, pair])
        for (const upstream of gateway.directory.find('tron')!.paths!.upstreams) upstream.recover();
    }
  });

  it.each(['{}', '[]', '{"Error":"class x : null"}'])(
    'that is answered with %s is answered',
    async (body) => {
      one.answer = (_seen, res) => sendJson(res, { body });
      expect(await post(pair, { path: '/tron/wallet/getaccount' })).toEqual({ status: 200, text: body });
    },
  );
});

function upstreamOf({ directory }: Gateway) {
  return directory.find('ethereum')!.upstreams[0]!;
}
