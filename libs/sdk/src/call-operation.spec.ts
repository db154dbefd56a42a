// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ConnectionError, createClient, ProblemError } from './index.ts';

const baseUrl = 'https://api.example.com/v1/';
type Reply = Response | Error;

/** A client that is answered by a script, and what it asked. */
function createScripted(replies: Reply[]) {
  const asked: Request[] = [];
  const fetch = async (input: Parameters<typeof globalThis.fetch>[0]): Promise<Response> => {
    const request = input as Request;
    asked.push(request);
    const reply = replies.shift()!;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { client: createClient({ baseUrl, apiKey: 'svc_api_key', fetch }), asked };
}

const json = (body: unknown, status = 200, headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const problem = {
  type: 'https://docs.example.com/apis/problems/invalid-request',
  title: 'Invalid Request',
  status: 400,
  detail: 'The request is not valid.',
  fields: [{ name: 'limit', reason: 'expected at most 100, got 500' }],
};

describe('a call', () => {
  it('carries the key, the values of the path encoded, lists repeated and members of metadata by name', async () => {
    const { client, asked } = createScripted([
      json({}),
      json({ items: [], meta: {} }),
      json({ items: [], meta: {} }),
    ]);
    await client.tokens.get('eip155:1', 'erc20:0xa/b');
    await client.addresses.list({ groups: ['a', 'b,c'], metadata: { shop: '7' }, limit: 5 });
    await client.addresses.list({ metadata: { 'metadata.shop': '7', 'a&b': '8' } });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://api.example.com/v1/tokens/eip155%3A1/erc20%3A0xa%2Fb',
      'https://api.example.com/v1/addresses?groups=a&groups=b%2Cc&metadata[shop]=7&limit=5',
      'https://api.example.com/v1/addresses?metadata.shop=7&metadata[a%26b]=8',
    ]);
    expect(asked[0]!.headers.get('x-api-key')).toBe('svc_api_key');
    expect(asked[0]!.redirect).toBe('manual');
  });

  it.each(['', '.', '..', undefined as unknown as string])(
    'asks nothing where %p would make another path of it',
    async (address) => {
      const { client, asked } = createScripted([]);
      await expect(client.addresses.delete(address)).rejects.toThrow('expected a value for address');
      expect(asked).toEqual([]);
    },
  );

  it('tells a problem with its fields and its request', async () => {
    const { client } = createScripted([json(problem, 400, { 'x-request-id': 'r1' })]);
    const error = await Promise.resolve(client.addresses.list({ limit: 500 })).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      code: 'invalid-request',
      status: 400,
      requestId: 'r1',
      fields: problem.fields,
    });
    expect((error as Error).message).toContain('limit: expected at most 100, got 500');
  });

  it('tells what a proxy in between said as a problem, too, and takes no redirect', async () => {
    const redirect = new Response(null, { status: 302, headers: { location: 'https://other.example.com' } });
    const { client } = createScripted([new Response('<h1>No</h1>', { status: 403 }), redirect]);
    await expect(client.version.get()).rejects.toMatchObject({ status: 403, code: 'about:blank' });
    await expect(client.version.get()).rejects.toMatchObject({ status: 302 });
  });

  it('is sent again with the same Idempotency-Key; the next one has another', async () => {
    const { client, asked } = createScripted([new TypeError('fetch failed'), json({}, 201), json({}, 201)]);
    const body = { value: '0x1', chain_family: 'evm' as const };
    await client.addresses.createExternal(body);
    await client.addresses.createExternal(body);
    const keys = asked.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect([keys[1], keys[2] === keys[0]]).toEqual([keys[0], false]);
    expect(await asked[1]!.json()).toEqual(body);
  });

  it('of PATCH is not sent again, and names why it had no answer', async () => {
    const { client, asked } = createScripted([new TypeError('fetch failed')]);
    const error = await client.addresses.update('0x1', { label: 'x' }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: 'PATCH /v1/addresses/0x1 had no answer',
      cause: { message: 'fetch failed' },
    });
    expect(asked).toHaveLength(1);
  });

  it('ends with its signal, also while it waits', async () => {
    const { client, asked } = createScripted([json({}, 503), json({})]);
    const abort = new AbortController();
    const call = client.version.get({ signal: abort.signal });
    while (asked.length === 0) await new Promise(setImmediate);
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('is over when the answer takes too long', async () => {
    const client = createClient({
      baseUrl,
      apiKey: 'key',
      timeoutMs: 20,
      fetch: (_input, init) =>
        new Promise((_resolve, reject) =>
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason)),
        ),
    });
    await expect(client.addresses.update('0x1', {})).rejects.toMatchObject({
      cause: { message: 'expected an answer within 20 ms, got none' },
    });
  });
});

describe('a list', () => {
  it('asks nothing until it is read, and goes on by cursor from the page that was asked for', async () => {
    const pageOf = (address: string, next?: string): Response =>
      json({ items: [{ address }], meta: { ...(next && { next_cursor: next }) } });
    const { client, asked } = createScripted([pageOf('a', 'c1'), pageOf('b', 'c2'), pageOf('c')]);
    const list = client.addresses.list({ page: 2, limit: 1 });
    expect(asked).toEqual([]);
    const seen = [];
    for await (const { address } of list) seen.push(address);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ url }) => new URL(url).search)).toEqual([
      '?page=2&limit=1',
      '?limit=1&cursor=c1',
      '?limit=1&cursor=c2',
    ]);
  });
});

it.each([
  ['https://api.example.com', 'key', 'expected a baseUrl'],
  ['api.example.com/v1', 'key', 'expected a baseUrl'],
  ['https://api.example.com/v1', '', 'expected an apiKey'],
])('a client of %p with the key %p is refused', (url, apiKey, message) => {
  expect(() => createClient({ baseUrl: url, apiKey })).toThrow(message);
});

describe('a kept connection that the server closes', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

  it('is replaced for what may be repeated, and for nothing else', async () => {
    const got: Record<string, { asked: number; dropped: number }> = {};
    const server = createServer((socket) => {
      let isUsed = false;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const [method] = /^(GET|POST|PATCH)(?= )/.exec(String(data)) ?? [];
        if (method === undefined) return;
        const counts = (got[method] ??= { asked: 0, dropped: 0 });
        counts.asked += 1;
        counts.dropped += isUsed ? 1 : 0;
        if (isUsed) socket.end();
        else socket.write(OK);
        isUsed = true;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: 'key',
    });
    for (let count = 0; count < 4; count += 1) await client.version.get();
    for (let count = 0; count < 4; count += 1)
      await client.addresses.createExternal({ value: '0x1', chain_family: 'evm' });
    let failures = 0;
    for (let count = 0; count < 4; count += 1)
      await client.addresses.update('0x1', {}).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ConnectionError);
        failures += 1;
      });
    for (const method of ['GET', 'POST']) {
      const { asked, dropped } = got[method]!;
      expect(dropped).toBeGreaterThan(0);
      expect(asked - dropped).toBe(4);
    }
    expect(got['PATCH']).toEqual({ asked: 4, dropped: failures });
    server.close();
  });
});
