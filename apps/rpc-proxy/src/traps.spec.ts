// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

// rpc-gateway.md, "Traps; each is a test".
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const TRON = 'tron:0x2b6653dc';

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** One node per chain, so there is no choice. */
let single: RpcProxy & { url: string };
/** Two nodes per chain. */
let pair: RpcProxy & { url: string };

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([startSpecNode(), startSpecNode()]);
  for (const node of [one, two]) node.health.eth_chainId = () => '0x1';
  const chains = ['eip155:1', BITCOIN, SOLANA];
  single = await world.open(Object.fromEntries(chains.map((gid) => [gid, [one.url]])));
  // The first node is strongly preferred, so that we know which one is asked first.
  const nodes = [
    { url: one.url, weight: 1_000, headers: {} },
    { url: two.url, weight: 0.000_001, headers: {} },
  ];
  pair = await world.open(Object.fromEntries(chains.map((gid) => [gid, nodes])));
  for (const proxy of [single, pair])
    await waitFor(() =>
      [...proxy.directory.chains].every(({ upstreams }) =>
        upstreams.every(({ isChecked, isDown }) => isChecked && !isDown),
      ),
    );
});

afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});

beforeEach(async () => {
  // A key goes on with the node that took its last write.
  for (const chain of pair.directory.chains) chain.sessions.forget();
  for (const node of [one, two]) {
    node.answer = answerResult('"0x1"');
    node.seen.length = 0;
  }
  await waitFor(() =>
    [...pair.directory.chains].every(({ upstreams }) =>
      upstreams.every(
        ({ isDown, pausedUntil, clock }) => !isDown && pausedUntil <= Math.max(clock.now, performance.now()),
      ),
    ),
  );
});

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly bytes: Buffer;
  readonly headers: Headers;
}

async function post(
  proxy: { url: string },
  body: string | Uint8Array,
  { path = '/ethereum', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    body: body as never,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc, ...headers },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, text: bytes.toString(), bytes, headers: response.headers };
}

const call = (method: string, params = '[]', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

/** Sends the bytes unchanged over a connection of its own. */
async function sendRaw(proxy: { port: number }, text: string): Promise<string> {
  const socket = connect(proxy.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return answer;
}

describe('1: the id is copied as bytes', () => {
  it.each(['"a"', 'null', '1.5', '18446744073709551616', '-0', '"\\u00e9\\n\\"x"', '1e3', '"ünï"'])(
    '%s',
    async (id) => {
      const { text } = await post(single, call('eth_chainId', '[]', id));
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`);
      expect(one.seen[0]!.body).toBe(call('eth_chainId', '[]', id));
    },
  );

  it('an absent id stays absent: what the node does not answer is 204', async () => {
    one.answer = (_seen, res) => void res.writeHead(200, { 'content-length': 0 }).end();
    const { status, text } = await post(single, '{"jsonrpc":"2.0","method":"eth_chainId"}');
    expect([status, text]).toEqual([204, '']);
    expect(one.seen[0]!.body).not.toContain('id');
  });
});

describe('2: bodies are never re-serialized', () => {
  it.each(['18446744073709551615', '21000000.00000000', '{"b":1,"a":1,"a":2}', '"\\u0041\\/"', ' [ 1 , 2 ]'])(
    '%s',
    async (value) => {
      const body = `{ "jsonrpc" : "2.0", "params":[${value}],\n"id":7,"method":"eth_call" , "extra":${value}}`;
      one.answer = (_seen, res) => sendJson(res, { body: `{"result":${value} , "id": 7}\n` });
      expect((await post(single, body)).text).toBe(`{"result":${value} , "id": 7}\n`);
      expect(one.seen[0]!.body).toBe(body);
    },
  );
});

describe('3: batches', () => {
  it('keep their order where the node does not', async () => {
    let answerFirst: (() => void) | undefined;
    let answerSecond: (() => void) | undefined;
    one.answer = ({ body }, res) => {
      const answer = (text: string) => (): void => sendJson(res, { body: text });
      if (body.includes('eth_chainId'))
        answerFirst = answer('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}');
      else {
        answerSecond = answer('{"jsonrpc":"2.0","id":"b","result":2}');
        res.on('finish', () => answerFirst!());
      }
      if (answerFirst !== undefined) answerSecond?.();
    };
    const { text } = await post(single, `[${call('eth_chainId')},${call('eth_call', '[]', '"b"')}]`);
    expect(text).toBe(
      '[{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}},{"jsonrpc":"2.0","id":"b","result":2}]',
    );
  });

  it('have each call in the bytes of the client, and each reply in those of the node', async () => {
    const [first, second] = [
      '{ "params":[18446744073709551615,{"a":1,"a":2}],"jsonrpc":"2.0" ,"id":1e3,"method":"eth_call" }',
      call('eth_chainId', '[ "\\u0041\\/" ]', '"\\u00e9"'),
    ];
    one.answer = ({ body }, res) =>
      sendJson(res, {
        body: body.includes('eth_call')
          ? '{"id": 1000 ,"result":21000000.00000000}'
          : '{"x":"\\/","result":18446744073709551615,"id":"\\u00e9"}',
      });
    expect((await post(single, ` [\n${first} , ${second}]\n`)).text).toBe(
      '[{"id": 1000 ,"result":21000000.00000000},{"x":"\\/","result":18446744073709551615,"id":"\\u00e9"}]',
    );
    expect(one.seen.map(({ body }) => body).sort()).toEqual([first, second].sort());
  });

  it.each([
    ['nothing', ''],
    ['an object', '{"jsonrpc":"2.0","id":null,"result":1}'],
  ])('of notifications only are 204 without a body, where the node answers with %s', async (_name, body) => {
    one.answer = (_seen, res) => sendJson(res, { body });
    const { status, text } = await post(
      single,
      '[{"jsonrpc":"2.0","method":"eth_call"},{"jsonrpc":"2.0","method":"eth_chainId"}]',
    );
    expect([status, text]).toEqual([204, '']);
    expect(one.seen.map((seen) => seen.body).sort()).toEqual([
      '{"jsonrpc":"2.0","method":"eth_call"}',
      '{"jsonrpc":"2.0","method":"eth_chainId"}',
    ]);
  });

  it('without a call get an error of the gateway', async () => {
    const { status, text } = await post(single, '[]');
    expect([status, JSON.parse(text), one.seen.length]).toEqual([
      200,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('at least one') } },
      0,
    ]);
  });

  it('with an id twice get both replies, in the order of the calls', async () => {
    one.answer = (seen, res, req) =>
      answerResult(`"${(JSON.parse(seen.body) as { method: string }).method}"`)(seen, res, req);
    expect(
      (await post(single, `[${call('eth_chainId')},${call('eth_call')},${call('eth_syncing', '[]', '2')}]`))
        .text,
    ).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":"eth_chainId"},{"jsonrpc":"2.0","id":1,"result":"eth_call"},{"jsonrpc":"2.0","id":2,"result":"eth_syncing"}]',
    );
  });

  it('that the node answered in part get an error for the rest', async () => {
    one.answer = (seen, res, req) =>
      seen.body.includes('eth_chainId') ? void req.socket.destroy() : answerResult('true')(seen, res, req);
    const items = JSON.parse(
      (await post(single, `[${call('eth_chainId')},${call('eth_call', '[]', '2')}]`)).text,
    ) as { id: number; error?: { code: number } }[];
    expect(items.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32603],
      [2, undefined],
    ]);
  });

  it('that the node answered with errors under no id have each under the id of its call', async () => {
    one.answer = (_seen, res) =>
      sendJson(res, { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not here"}}' });
    const items = JSON.parse(
      (await post(single, `[${call('eth_chainId')},${call('eth_call', '[]', '2')}]`)).text,
    ) as unknown[];
    expect(items).toEqual(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32600, message: 'not here' } })),
    );
    one.answer = answerResult('5');
    expect((await post(single, `[${call('eth_chainId')}]`)).text).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":5}]',
    );
  });

  it('to TRON are answered in order as well, beside its HTTP interface', async () => {
    const tron = await startSpecNode(answerResult('"0x5"'), { chainId: 0x2b6653dc });
    const proxy = await world.open({ [TRON]: [`${tron.url}/jsonrpc`] });
    const { text } = await post(
      proxy,
      `[${call('eth_call', '[1]', '7')},{"jsonrpc":"2.0","method":"eth_call"},${call('eth_chainId', '[]', '"x"')}]`,
      { path: '/tron' },
    );
    expect(text).toBe('[{"jsonrpc":"2.0","id":7,"result":"0x5"},{"jsonrpc":"2.0","id":"x","result":"0x5"}]');
    expect(tron.seen.map(({ body }) => body[0])).toEqual(['{', '{', '{']);
    expect((await post(proxy, '{}', { path: '/tron/wallet/getnowblock' })).status).toBe(200);
    expect(tron.seen.at(-1)).toMatchObject({ url: '/wallet/getnowblock', body: '{}' });
    await tron.stop();
  });

  it('of over 1,000 calls are refused', async () => {
    const batchOf = (count: number): string =>
      `[${Array.from({ length: count }, (_, id) => call('eth_chainId', '[]', String(id))).join(',')}]`;
    const { status, text } = await post(single, batchOf(1_000));
    expect([status, (JSON.parse(text) as { id: number }[]).map(({ id }) => id)]).toEqual([
      200,
      Array.from({ length: 1_000 }, (_, id) => id),
    ]);
    expect(await post(single, batchOf(1_001))).toMatchObject({
      status: 400,
      text: expect.stringContaining('at most 1000 calls'),
    });
  });
});

describe("4: the node's status passes through", () => {
  it.each([
    [500, '{"result":null,"error":{"code":-8,"message":"Block height out of range"},"id":1}'],
    [404, '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}'],
  ])('%i with a JSON-RPC error is an answer', async (status, body) => {
    one.answer = (_seen, res) => sendJson(res, { body, status });
    // A read that the machine makes slow would be asked at the second node, too.
    const request = '{"jsonrpc":"1.0","id":1,"method":"sendrawtransaction","params":["00"]}';
    expect(await post(pair, request, { path: '/bitcoin' })).toMatchObject({ status, text: body });
    expect(two.seen).toHaveLength(0);
    expect(one.seen[0]!.body).toBe(request);
    expect([...pair.directory.find('bitcoin')!.upstreams].map(({ isDown }) => isDown)).toEqual([
      false,
      false,
    ]);
  });

  it.each(['{"id":1,"method":"getblockcount"}', '{"jsonrpc":"1.1","id":1,"method":"getblockcount"}'])(
    'the version of %s is neither added nor changed',
    async (request) => {
      await post(single, request, { path: '/bitcoin' });
      expect(one.seen[0]!.body).toBe(request);
    },
  );
});

describe('5: another node is asked only where it may know better', () => {
  const json = (error: string): string => `{"jsonrpc":"2.0","id":1,"error":${error}}`;
  it.each([
    [
      '502 without JSON',
      '/ethereum',
      (_: unknown, res: never) => sendJson(res, { body: '<html>bad gateway</html>', status: 502 }),
    ],
    [
      '429',
      '/ethereum',
      (_: unknown, res: never) =>
        sendJson(res, { body: '{"error":"slow down"}', status: 429, headers: { 'retry-after': '0' } }),
    ],
    [
      'a full work queue',
      '/bitcoin',
      (_: unknown, res: never) => sendJson(res, { body: 'Work queue depth exceeded', status: 503 }),
    ],
    [
      'warm-up',
      '/bitcoin',
      (_: unknown, res: never) =>
        sendJson(res, { body: json('{"code":-28,"message":"Loading block index…"}'), status: 500 }),
    ],
    [
      'initial download',
      '/bitcoin',
      (_: unknown, res: never) =>
        sendJson(res, {
          body: json('{"code":-10,"message":"Bitcoin Core is in initial sync and waiting for blocks..."}'),
          status: 500,
        }),
    ],
    [
      'a limit told as JSON-RPC',
      '/ethereum',
      (_: unknown, res: never) =>
        sendJson(res, {
          body: json('{"code":-32005,"message":"daily request count exceeded, request rate limited"}'),
        }),
    ],
    [
      'state that the node does not have',
      '/ethereum',
      (_: unknown, res: never) =>
        sendJson(res, {
          body: json('{"code":-32000,"message":"missing trie node 0a1b (path ) state 0x1 is not available"}'),
        }),
    ],
    ...[-32005, -32016, -32004, -32014, -32001].map(
      (code) =>
        [
          `Solana ${code}`,
          '/solana',
          (_: unknown, res: never) => sendJson(res, { body: json(`{"code":${code},"message":"x"}`) }),
        ] as const,
    ),
    [
      'a reset',
      '/ethereum',
      (_: unknown, __: unknown, req: { socket: { resetAndDestroy(): void } }) => req.socket.resetAndDestroy(),
    ],
    [
      'half an answer',
      '/ethereum',
      (
        _: unknown,
        res: { writeHead(status: number, headers: object): { write(text: string): void }; destroy(): void },
      ) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","id":1,"res');
        setTimeout(() => res.destroy(), 20);
      },
    ],
  ] as [string, string, SpecNode['answer']][])('after %s', async (_name, path, answer) => {
    one.answer = answer;
    two.answer = answerResult('"other"');
    const method = { '/ethereum': 'eth_call', '/bitcoin': 'getblockhash', '/solana': 'getSlot' }[path]!;
    expect((await post(pair, call(method), { path })).text).toBe('{"jsonrpc":"2.0","id":1,"result":"other"}');
    expect(two.seen).toHaveLength(1);
  });

  it.each([
    ['a revert', '/ethereum', '{"code":3,"message":"execution reverted","data":"0x08c379a0"}'],
    [
      'what a contract says',
      '/ethereum',
      '{"code":3,"message":"execution reverted: too many requests, header not found","data":"0x"}',
    ],
    [
      'the same of an older node',
      '/ethereum',
      '{"code":-32000,"message":"VM Exception while processing transaction: revert rate limit"}',
    ],
    [
      'a result that is too large',
      '/ethereum',
      '{"code":-32005,"message":"query returned more than 10000 results"}',
    ],
    ['wrong parameters', '/ethereum', '{"code":-32602,"message":"invalid argument 0"}'],
    ['a failed preflight', '/solana', '{"code":-32002,"message":"Transaction simulation failed"}'],
    ['an unknown method', '/ethereum', '{"code":-32601,"message":"the method does not exist"}'],
  ])('not after %s', async (_name, path, error) => {
    one.answer = (_seen, res) => sendJson(res, { body: json(error) });
    const method = path === '/solana' ? 'simulateTransaction' : 'eth_call';
    expect((await post(pair, call(method), { path })).text).toBe(json(error));
    expect(two.seen).toHaveLength(0);
  });

  it("of TRON's HTTP interface as well, under status 200; a path that a node does not serve says nothing against it", async () => {
    const nodes = await Promise.all(
      [0, 1].map(() => startSpecNode(answerResult('"other"'), { chainId: 0x2b6653dc })),
    );
    const [first, second] = nodes as [SpecNode, SpecNode];
    const proxy = await world.open({
      [TRON]: [
        { url: first.url, weight: 1_000, headers: {} },
        { url: second.url, weight: 0.000_001, headers: {} },
      ],
    });
    const { upstreams, paths: wallet } = proxy.directory.find('tron')!;
    const all = [...upstreams, ...wallet!.upstreams];
    await waitFor(() => all.every(({ isChecked, isDown }) => isChecked && !isDown));
    const ask = async (path: string, reply: string, status = 200): Promise<Reply & { count: number }> => {
      for (const upstream of all) upstream.pausedUntil = 0;
      first.seen.length = 0;
      second.seen.length = 0;
      first.answer = (_seen, res) => sendJson(res, { body: reply, status });
      const got = await post(proxy, call('eth_call'), { path });
      expect(first.seen).toHaveLength(1);
      return { ...got, count: second.seen.length };
    };
    const unsupported = `{"result":{"code":"CONTRACT_VALIDATE_ERROR","message":"${Buffer.from('this node does not support constant').toString('hex')}"}}`;
    for (const reply of [
      '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
      unsupported,
    ]) {
      for (const path of ['/tron', '/tron/wallet/triggerconstantcontract'])
        expect(await ask(path, reply)).toMatchObject({
          count: 1,
          text: '{"jsonrpc":"2.0","id":1,"result":"other"}',
        });
    }
    expect(
      (
        await ask(
          '/tron/wallet/getpaginatednowwitnesslist',
          '{"Error":"class org.tron.core.exception.MaintenanceUnavailableException : later"}',
        )
      ).count,
    ).toBe(1);
    expect(
      await ask('/tron/wallet/getaccount', '{"Error":"class java.lang.NullPointerException : null"}'),
    ).toMatchObject({ count: 0, text: '{"Error":"class java.lang.NullPointerException : null"}' });
    second.answer = (_seen, res) => sendJson(res, { body: '<html>no such path</html>', status: 404 });
    for (let count = 0; count < 5; count += 1)
      expect(await ask('/tron/wallet/getnothing', '<html>none</html>', 404)).toMatchObject({
        status: 404,
        text: '{"error":"the node refused the request with status 404"}',
      });
    expect(all.map(({ isDown }) => isDown)).toEqual([false, false, false, false]);
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it('the last error of a node is the answer when all fail, else 502', async () => {
    for (const node of [one, two])
      node.answer = (_seen, res) =>
        sendJson(res, { body: json('{"code":-32005,"message":"Node is behind"}') });
    expect((await post(pair, call('getSlot'), { path: '/solana' })).text).toBe(
      json('{"code":-32005,"message":"Node is behind"}'),
    );
    for (const node of [one, two]) node.answer = (_seen, _res, req) => req.socket.destroy();
    expect(await post(pair, call('eth_call'))).toMatchObject({
      status: 502,
      text: '{"error":"network unavailable"}',
    });
  });
});

describe('6: writes', () => {
  const raw = call('eth_sendRawTransaction', '["0x02"]');
  it('are never hedged', async () => {
    one.answer = (seen, res, req) => void setTimeout(() => answerResult('"0xaa"')(seen, res, req), 700);
    await Promise.all([post(pair, raw), post(pair, call('eth_sendTransactionConditional'))]);
    expect(two.seen).toHaveLength(0);
    const read = post(pair, call('eth_call'));
    await waitFor(() => two.seen.length === 1);
    await read;
  });

  it('that are signed go to another node when the first one is gone', async () => {
    one.answer = (_seen, _res, req) => req.socket.destroy();
    expect((await post(pair, raw)).status).toBe(200);
    expect([one.seen.length, two.seen.length]).toEqual([1, 1]);
  });

  it('"already known" of the second node is success', async () => {
    one.answer = (_seen, _res, req) => req.socket.destroy();
    two.answer = (_seen, res) =>
      sendJson(res, { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"already known"}}' });
    // keccak-256 of the byte 02.
    expect((await post(pair, raw)).text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":"0xf2ee15ea639b73fa3db9b34a245bdfa015c260c598b211bf05a1ecc4b3e3b4f2"}',
    );
    one.answer = two.answer;
    expect((await post(pair, raw)).text).toContain('already known');
  });

  it('what the second Bitcoin node has already is success, under the id without witnesses', async () => {
    // The example of BIP-143 for P2WPKH, signed.
    const signed =
      '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000';
    one.answer = (_seen, _res, req) => req.socket.destroy();
    two.answer = (_seen, res) =>
      sendJson(res, {
        body: '{"result":null,"error":{"code":-27,"message":"Transaction already in block chain"},"id":7}',
        status: 500,
      });
    const send = (hex: string) =>
      post(pair, `{"jsonrpc":"1.0","id":7,"method":"sendrawtransaction","params":["${hex}"]}`, {
        path: '/bitcoin',
      });
    expect(await send(signed)).toMatchObject({
      status: 200,
      text: '{"result":"e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609","error":null,"id":7}',
    });
    expect((await send('00ff')).text).toContain('already in block chain');
  });

  it.each([
    ['/solana', 'sendTransaction'],
    ['/ethereum', 'some_unknownWrite'],
  ])('to %s %s goes once when bytes were sent', async (path, method) => {
    one.answer = (_seen, _res, req) => req.socket.destroy();
    expect((await post(pair, call(method), { path })).status).toBe(502);
    expect([one.seen.length, two.seen.length]).toEqual([1, 0]);
  });
});

describe('7: headers', () => {
  it("none of the client's reaches the node", async () => {
    await post(single, call('eth_chainId'), {
      headers: {
        cookie: 'a=b',
        authorization: 'Bearer x',
        'x-forwarded-for': '1.2.3.4',
        te: 'trailers',
        'x-custom': 'y',
      },
    });
    const { headers } = one.seen[0]!;
    expect(Object.keys(headers).sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(headers.host).toBe(new URL(one.url).host);
  });

  it('a doubled Content-Length or key, and Content-Length beside Transfer-Encoding, are refused', async () => {
    const head = `POST /ethereum HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nX-Api-Key: ${world.project.keys.rpc}\r\n`;
    const body = call('eth_chainId');
    expect(
      await sendRaw(
        single,
        `${head}Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    ).toMatch(/^HTTP\/1.1 400 /);
    expect(
      await sendRaw(
        single,
        `${head}Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1.1 400 /);
    expect(
      await sendRaw(
        single,
        `${head}X-Api-Key: ${world.project.keys.rpc}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    ).toMatch(/^HTTP\/1.1 401 /);
    expect(one.seen).toHaveLength(0);
    expect(await sendRaw(single, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)).toMatch(
      /^HTTP\/1.1 200 /,
    );
  });

  it('a compressed reply passes untouched', async () => {
    const zipped = gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    one.answer = (_seen, res) =>
      sendJson(res, { body: zipped, status: 200, headers: { 'content-encoding': 'gzip' } });
    const req = httpRequest(`${single.url}/ethereum`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        'x-api-key': world.project.keys.rpc,
      },
    });
    req.end(call('eth_getLogs'));
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of res) pieces.push(piece as Buffer);
    expect(res.headers['content-encoding']).toBe('gzip');
    expect(Buffer.concat(pieces).equals(zipped)).toBe(true);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('a request in %s is read, up to 1 MB of what is inside', async (encoding, compress) => {
    expect(
      (
        await post(single, compress(Buffer.from(call('eth_chainId'))), {
          headers: { 'content-encoding': encoding },
        })
      ).status,
    ).toBe(200);
    expect(one.seen[0]!.body).toBe(call('eth_chainId'));
    expect(
      (
        await post(single, compress(Buffer.from(call('eth_call', `["${'a'.repeat(1_100_000)}"]`))), {
          headers: { 'content-encoding': encoding },
        })
      ).status,
    ).toBe(413);
    expect(
      (await post(single, Buffer.from('nonsense'), { headers: { 'content-encoding': encoding } })).status,
    ).toBe(400);
  });
});

describe('8: the method that is checked is the one that is called', () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"admin_peers"}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","Method":"admin_peers"}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","m\\u0065thod":"admin_peers"}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[],"param\u017f":[1]}',
  ])('two methods are refused: %s', async (body) => {
    expect((await post(single, body)).status).toBe(400);
    expect(one.seen).toHaveLength(0);
  });

  it('escapes are decoded before the check', async () => {
    expect((await post(single, '{"jsonrpc":"2.0","id":1,"method":"\\u0061dmin_peers"}')).status).toBe(403);
    expect((await post(single, '{"jsonrpc":"2.0","id":1,"\\u006dethod":"eth_\\u0063hainId"}')).status).toBe(
      200,
    );
    expect(one.seen).toHaveLength(1);
  });
});

describe('9: when the client leaves', () => {
  const leave = async (body: string): Promise<void> => {
    const stop = new AbortController();
    const count = one.seen.length;
    const asked = fetch(`${single.url}/ethereum`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
      signal: stop.signal,
    }).catch(() => undefined);
    await waitFor(() => one.seen.length > count);
    stop.abort();
    await asked;
  };

  it('the call to the node is aborted', async () => {
    let closed = false;
    one.answer = (_seen, res) => void res.on('close', () => (closed = true));
    await leave(call('eth_call'));
    await waitFor(() => closed);
  });

  it('a write goes on', async () => {
    const closed: string[] = [];
    let finish: (() => void) | undefined;
    one.answer = (seen, res, req) => {
      const { method } = JSON.parse(seen.body) as { method: string };
      res.on('close', () => closed.push(method));
      if (method === 'eth_sendRawTransaction') finish = () => answerResult('"0x1"')(seen, res, req);
    };
    await leave(call('eth_sendRawTransaction', '["0x02"]'));
    // The call after it is aborted, so the gateway has long seen both clients leave.
    await leave(call('eth_call'));
    await waitFor(() => closed.length > 0);
    expect(closed).toEqual(['eth_call']);
    finish!();
  });
});

describe('10: a truncated body never ends in order', () => {
  it.each([true, false])('with the length told: %s', async (hasLength) => {
    const size = 400_000;
    one.answer = (_seen, res) => {
      res.writeHead(200, {
        'content-type': 'application/json',
        ...(hasLength ? { 'content-length': size } : {}),
      });
      const start = Buffer.alloc(size / 2, 0x20);
      start.write('{"jsonrpc":"2.0","id":1,"result":"');
      res.write(start, () => setTimeout(() => res.socket!.resetAndDestroy(), 50));
    };
    await expect(post(single, call('eth_getLogs'))).rejects.toThrow();
  });
});

describe('large replies', () => {
  /** A body with its own size and bytes, so that a byte of another reply is noticed. */
  const textOf = (index: number): Buffer =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'),
      Buffer.alloc(
        40_000 + index * index * 4_001,
        `${index}-abcdefghijklmnop${String.fromCharCode(65 + index)};`,
      ),
      Buffer.from('"}'),
    ]);

  it('arrive byte for byte, however they are framed and however slowly their clients read', async () => {
    one.answer = ({ body }, res) => {
      const index = Number(/"params":\[(\d+)/.exec(body)![1]);
      const bytes = textOf(index);
      if (index % 3 === 0) res.setHeader('content-length', bytes.length);
      // HTTP/1.0: to the end of the connection.
      if (index % 3 === 1) res.shouldKeepAlive = res.useChunkedEncodingByDefault = false;
      for (let at = 0; at < bytes.length; at += 50_000) res.write(bytes.subarray(at, at + 50_000));
      res.end();
    };
    const indexes = Array.from({ length: 24 }, (_, index) => index);
    const quick: Promise<unknown>[] = [];
    const replies = indexes.map(async (index) => {
      const body = call('eth_estimateGas', `[${index}]`);
      if (index % 2 === 0) {
        const reply = post(single, body);
        quick.push(reply);
        return (await reply).bytes;
      }
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(
          `${single.url}/ethereum`,
          {
            method: 'POST',
            agent: false,
            headers: {
              'content-type': 'application/json',
              'x-api-key': world.project.keys.rpc,
              'content-length': body.length,
            },
          },
          resolve,
        )
          .on('error', reject)
          .end(body);
      });
      // Held back until the others have theirs.
      await Promise.all(quick);
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      return Buffer.concat(pieces);
    });
    for (const [index, bytes] of (await Promise.all(replies)).entries())
      expect(bytes.equals(textOf(index))).toBe(true);
  });
});

describe('11: a protocol mismatch is 400', () => {
  it.each([
    '',
    'x',
    '1',
    '"eth_chainId"',
    '{}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}',
    '{"id":1,"method":"eth_chainId"}',
    '[1]',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    `${call('eth_chainId')}x`,
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"',
    '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},]',
    call('getblockcount'),
    call('getAccountInfo'),
  ])('%j', async (body) => {
    const { status, text } = await post(single, body);
    expect([status, Object.keys(JSON.parse(text) as object), one.seen.length]).toEqual([400, ['error'], 0]);
    expect(text).toContain('protocol mismatch');
  });

  it('the path, the verb and the content type count as well', async () => {
    expect((await post(single, call('eth_chainId'), { path: '/ethereum/wallet/getnowblock' })).status).toBe(
      400,
    );
    expect((await post(single, '<x/>', { headers: { 'content-type': 'text/xml' } })).status).toBe(400);
    expect(
      (await fetch(`${single.url}/ethereum`, { headers: { 'x-api-key': world.project.keys.rpc } })).status,
    ).toBe(400);
    expect(
      (
        await post(single, call('getblockcount'), {
          path: '/bitcoin',
          headers: { 'content-type': 'text/plain;' },
        })
      ).status,
    ).toBe(200);
  });
});

describe('12: what rules a node or holds keys', () => {
  it.each([
    ['/ethereum', 'admin_addPeer'],
    ['/ethereum', 'personal_unlockAccount'],
    ['/ethereum', 'miner_start'],
    ['/ethereum', 'debug_setHead'],
    ['/ethereum', 'eth_sign'],
    ['/ethereum', 'eth_sendTransaction'],
    ['/bitcoin', 'sendtoaddress'],
    ['/bitcoin', 'dumpprivkey'],
    ['/bitcoin', 'signrawtransactionwithwallet'],
    ['/bitcoin', 'stop'],
    ['/bitcoin', 'generatetoaddress'],
  ])('%s %s is refused', async (path, method) => {
    expect(await post(single, call(method), { path })).toMatchObject({
      status: 403,
      text: `{"error":"the method ${method} is not allowed"}`,
    });
    expect((await post(single, `[${call(method)}]`, { path })).status).toBe(403);
    expect(one.seen).toHaveLength(0);
  });

  it('passes where the configuration says so, and lists narrow what passes', async () => {
    const unlocked = await world.open(
      { 'eip155:1': [one.url] },
      { methods: { unlock: ['admin_*'], deny: ['eth_getLogs'] } },
    );
    const status = async (proxy: { url: string }, method: string): Promise<number> =>
      (await post(proxy, call(method))).status;
    expect([
      await status(unlocked, 'admin_peers'),
      await status(unlocked, 'personal_sign'),
      await status(unlocked, 'eth_getLogs'),
      await status(unlocked, 'eth_call'),
    ]).toEqual([200, 403, 403, 200]);
    const narrow = await world.open(
      { 'eip155:1': [one.url] },
      { methods: { allow: ['eth_getBlock*', 'eth_chainId'] } },
    );
    expect([
      await status(narrow, 'eth_getBlockByNumber'),
      await status(narrow, 'eth_chainId'),
      await status(narrow, 'eth_call'),
    ]).toEqual([200, 200, 403]);
  });
});
