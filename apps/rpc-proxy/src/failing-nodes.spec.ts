// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SECRET = 'SECRET-PROVIDER-KEY';

let world: SpecWorld;
let one: SpecNode;
let two: SpecNode;
/** A gateway with the first node only. */
let single: RpcProxy & { url: string };
/** A gateway with both nodes, which strongly prefers the first one. */
let pair: RpcProxy & { url: string };

const upstreamsOf = (proxy: RpcProxy, name = 'ethereum') => proxy.directory.find(name)!.upstreams;
const isServing = ({
  isChecked,
  isDown,
  isWrongChain,
}: {
  isChecked: boolean;
  isDown: boolean;
  isWrongChain: boolean;
}): boolean => isChecked && !isDown && !isWrongChain;
const serve = async (proxy: RpcProxy): Promise<void> =>
  void (await waitFor(() =>
    [...proxy.directory.chains].every(({ upstreams }) => upstreams.every(isServing)),
  ));

beforeAll(async () => {
  world = await startSpecWorld();
  [one, two] = await Promise.all([startSpecNode(), startSpecNode()]);
  const nodes = [
    { url: one.url, weight: 1_000, headers: {} },
    { url: two.url, weight: 0.000_001, headers: {} },
  ];
  [single, pair] = await Promise.all([
    world.open({ 'eip155:1': [one.url], [BITCOIN]: [one.url] }),
    world.open({ 'eip155:1': nodes }),
  ]);
});
afterAll(async () => {
  await world.stop();
  await Promise.all([one.stop(), two.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  for (const node of [one, two])
    Object.assign(node, { refusal: undefined, answer: answerResult(node === one ? '"one"' : '"two"') });
  await Promise.all([serve(single), serve(pair)]);
  for (const node of [one, two]) node.seen.length = 0;
});

const call = (method: string, id = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[]}`;

async function post(
  proxy: { url: string },
  body: string,
  { path = '/ethereum', headers = {} as Record<string, string> } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc, ...headers },
  });
  return { status: response.status, text: await response.text() };
}

describe('a node whose provider refuses our credentials', () => {
  it.each([401, 402, 403])(
    'with %i and a JSON-RPC error is left for another one, and taken out of service',
    async (status) => {
      one.refusal = {
        status,
        body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"key ${SECRET} expired"}}`,
      };
      for (let id = 1; id <= 40; id += 1)
        expect(await post(pair, call('eth_gasPrice', id))).toEqual({
          status: 200,
          text: `{"jsonrpc":"2.0","id":${id},"result":"two"}`,
        });
      await waitFor(() =>
        upstreamsOf(pair).some(({ isDown, reason }) => isDown && reason!.includes(String(status))),
      );
    },
  );

  it('without another one the client learns that the network is unavailable, and nothing of what the node said', async () => {
    one.refusal = {
      status: 403,
      body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"key ${SECRET} expired"}}`,
    };
    const { status, text } = await post(single, call('eth_gasPrice'));
    expect([status, Object.keys(JSON.parse(text) as object)]).toEqual([502, ['error']]);
    expect(text).not.toContain(SECRET);
  });
});

describe('a node that asks for a pause', () => {
  it('is shown in service again when it is over, also where nobody asks anything meanwhile', async () => {
    one.answer = (_seen, res) => void res.writeHead(429, { 'retry-after': '1' }).end();
    const chain = single.directory.find('ethereum')!;
    expect((await post(single, call('eth_gasPrice'))).status).toBe(502);
    expect(chain.serves(chain.upstreams[0]!)).toBe(false);
    await waitFor(() => chain.serves(chain.upstreams[0]!), { timeoutMs: 20_000 });
  });
});

describe("a node's error page", () => {
  it.each([400, 404, 405, 413, 414, 429, 431, 500, 502, 503])(
    'with status %i never reaches a client',
    async (status) => {
      one.answer = (_seen, res) =>
        void res
          .writeHead(status, { 'content-type': 'text/html' })
          .end(`<pre>Cannot POST /v2/${SECRET}</pre>`);
      for (const path of ['/ethereum', '/bitcoin']) {
        const { status: got, text } = await post(
          single,
          call(path === '/bitcoin' ? 'getblockcount' : 'eth_gasPrice'),
          { path },
        );
        expect(got).toBe([400, 413, 414, 431].includes(status) ? status : 502);
        expect(Object.keys(JSON.parse(text) as object)).toEqual(['error']);
        expect(text).not.toContain(SECRET);
      }
    },
  );

  it('does not either where it is large', async () => {
    one.answer = (_seen, res) =>
      void res.writeHead(404, { 'content-type': 'text/html' }).end(`<pre>${SECRET}</pre>`.padEnd(300_000));
    const { status, text } = await post(single, call('eth_gasPrice'));
    expect([status, text.includes(SECRET)]).toEqual([502, false]);
  });

  it('is not taken for one where a node answers with an error status and JSON-RPC', async () => {
    const error = '{"result":null,"error":{"code":-5,"message":"No such transaction"},"id":1}';
    one.answer = (_seen, res) => sendJson(res, { body: error, status: 500 });
    expect(await post(single, call('getrawtransaction'), { path: '/bitcoin' })).toEqual({
      status: 500,
      text: error,
    });
  });
});

describe('a long Accept-Encoding', () => {
  it('is not sent on, and neither it nor a long head takes a node out of service', async () => {
    one.answer = ({ headers }, res) =>
      (headers['accept-encoding']?.length ?? 0) > 8_000
        ? void res.writeHead(431).end()
        : answerResult('"one"')({ body: call('x') } as never, res, undefined as never);
    for (let count = 0; count < 5; count += 1) {
      expect(
        (await post(single, call('eth_gasPrice'), { headers: { 'accept-encoding': 'gzip, '.repeat(1_200) } }))
          .status,
      ).toBe(200);
    }
    one.answer = (_seen, res) => void res.writeHead(431).end();
    for (let count = 0; count < 5; count += 1)
      expect((await post(single, call('eth_gasPrice'))).status).toBe(431);
    expect(upstreamsOf(single).map(({ isDown }) => isDown)).toEqual([false]);
  });
});

describe('kept connections that die', () => {
  /** Connections that the node keeps open after an answer. A fresh one that also dies may fail a read. */
  const sockets = new Set<Socket>();
  const watching: SpecNode['answer'] = (seen, res, req) => {
    res.once('finish', () => sockets.add(req.socket));
    req.socket.once('close', () => sockets.delete(req.socket));
    answerResult('"one"')(seen, res, req);
  };

  it('fail no read, and are no failure of the node', async () => {
    one.answer = watching;
    let failed = 0;
    let asked = 0;
    let dropped = 0;
    const lane = async (): Promise<void> => {
      while (dropped < 10) {
        asked += 1;
        if ((await post(single, call('eth_gasPrice', asked))).status !== 200) failed += 1;
      }
    };
    const drop = async (): Promise<void> => {
      for (; dropped < 10; dropped += 1) {
        const before = asked;
        await waitFor(() => asked > before + 40);
        for (const socket of sockets) socket.destroy();
        sockets.clear();
      }
    };
    await Promise.all([drop(), ...Array.from({ length: 20 }, lane)]);
    expect(asked).toBeGreaterThan(400);
    expect(failed).toBe(0);
    expect(upstreamsOf(single).map(({ isDown }) => isDown)).toEqual([false]);
    expect(
      [...single.directory.find('ethereum')!.outcomes.values()].reduce((sum, { stale }) => sum + stale, 0),
    ).toBeGreaterThan(0);
  });

  it('fail no read of a node that closes a connection behind each answer without saying so', async () => {
    one.answer = (seen, res, req) => {
      answerResult('"one"')(seen, res, req);
      res.once('finish', () => setTimeout(() => req.socket.destroy(), 1));
    };
    for (let id = 1; id <= 200; id += 1)
      expect([id, (await post(single, call('eth_gasPrice', id))).status]).toEqual([id, 200]);
  });

  it('carry no call that may not go again, once they were idle for a second', async () => {
    one.answer = watching;
    expect((await post(single, call('eth_gasPrice'))).status).toBe(200);
    const used = new Set(sockets);
    const idleSince = performance.now();
    await waitFor(() => performance.now() - idleSince > 1_100);
    const seen: Socket[] = [];
    one.answer = (request, res, req) => {
      seen.push(req.socket);
      answerResult('"one"')(request, res, req);
    };
    expect(
      (await post(single, '{"jsonrpc":"2.0","id":1,"method":"eth_submitWork","params":[]}')).status,
    ).toBeLessThan(500);
    expect(seen.filter((socket) => used.has(socket))).toEqual([]);
  });
});

describe('a node that does not tell its chain', () => {
  it.each([
    ['its chain alone', ['eth_chainId']],
    ['neither its chain nor its head', ['eth_chainId', 'eth_getBlockByNumber', 'eth_blockNumber']],
  ])('tells not %s: it is asked nothing, and goes into service when it tells', async (_what, methods) => {
    const node = await startSpecNode(answerResult('"three"'));
    const told = node.health;
    node.health = Object.fromEntries(Object.entries(told).filter(([method]) => !methods.includes(method)));
    const proxy = await world.open({ 'eip155:1': [node.url] });
    try {
      await waitFor(() => upstreamsOf(proxy).every(({ isChecked }) => isChecked));
      expect((await post(proxy, call('eth_gasPrice'))).status).toBe(502);
      expect(node.seen).toEqual([]);
      node.health = told;
      await serve(proxy);
      expect((await post(proxy, call('eth_gasPrice'))).text).toContain('three');
      // The node has told its chain before; that counts as long as it reports its head.
      node.health = { ...told };
      delete node.health.eth_chainId;
      let asked = 0;
      node.health.eth_getBlockByNumber = (params) => ((asked += 1), told.eth_getBlockByNumber!(params));
      await waitFor(() => asked > 6);
      expect((await post(proxy, call('eth_gasPrice'))).status).toBe(200);
    } finally {
      await node.stop();
    }
  });
});
