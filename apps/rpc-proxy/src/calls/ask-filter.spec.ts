// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { bootstrap } from '@chainwatch/tool-db/bootstrap';
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startRedis, type RedisHandle } from '@chainwatch/testing';
import { sendJson, startSpecNode, type SpecNode } from '../spec-node.ts';
import { startSpecWorld, type SpecWorld } from '../spec-world.ts';
import type { RpcProxy } from '../start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const ETHEREUM = 'eip155:1';
const TRON = 'tron:0x7a69';

interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

let world: SpecWorld;
let nodes: SpecNode[];
/** The filters of each node, which counts them from one, as Nethermind does. */
let made: Map<string, string>[];
/** Another key of the same workspace, and one of another. */
let strangers: string[];
beforeAll(async () => {
  world = await startSpecWorld();
  strangers = [
    await world.makeKey(['rpc:evm:read']),
    (await bootstrap(world.db, { label: 'svc', workspaceName: 'Other' })).keys.rpc,
  ];
});
afterAll(async () => {
  await world.stop();
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  nodes = await Promise.all([0, 1].map(() => startSpecNode()));
  made = nodes.map(() => new Map());
  for (const [index, node] of nodes.entries())
    node.answer = ({ body }, res) => {
      const answer = ({ id, method, params }: { id: unknown; method: string; params: string[] }): object => {
        const own = made[index]!;
        if (method.startsWith('eth_new')) {
          own.set(`0x${own.size + 1}`, `of node ${index}`);
          return { jsonrpc: '2.0', id, result: `0x${own.size}` };
        }
        if (!/[fF]ilter/.test(method)) return { jsonrpc: '2.0', id, result: method };
        const found = own.get(params[0]!);
        if (method === 'eth_uninstallFilter') return { jsonrpc: '2.0', id, result: own.delete(params[0]!) };
        return found === undefined
          ? { jsonrpc: '2.0', id, error: { code: -32000, message: 'filter not found' } }
          : { jsonrpc: '2.0', id, result: [`${found}, its ${params[0]}`] };
      };
      sendJson(res, { body: JSON.stringify(answer(JSON.parse(body) as Parameters<typeof answer>[0])) });
    };
});
afterEach(async () => {
  await world.stopGateways();
  await Promise.all(nodes.map((node) => node.stop()));
});

async function open(options: Parameters<SpecWorld['open']>[1] = {}): Promise<Gateway> {
  const gateway = await world.open({ [ETHEREUM]: nodes.map(({ url }) => url) }, options);
  const chain = gateway.directory.find('ethereum')!;
  await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  return gateway;
}

async function post<T = Reply>(
  gateway: Gateway,
  body: object,
  key = world.project.keys.rpc,
  path = 'ethereum',
): Promise<T> {
  const response = await fetch(`${gateway.url}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const call = (method: string, params: readonly unknown[] = [], id: unknown = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const make = async (gateway: Gateway, key?: string): Promise<string> =>
  (await post(gateway, call('eth_newBlockFilter'), key)).result as string;
const NOT_FOUND = { code: -32000, message: 'filter not found' };

/** A filter at each of the nodes. */
async function makeAtBoth(gateway: Gateway): Promise<[string, string][]> {
  const filters: [string, string][] = [];
  while (made.some(({ size }) => size === 0)) {
    const before = made.map(({ size }) => size);
    const id = await make(gateway);
    const index = made.findIndex(({ size }, at) => size > before[at]!);
    filters.push([id, `of node ${index}, its 0x${made[index]!.size}`]);
  }
  return filters;
}

it('a filter is asked for at the node that made it, under the id that node has, where both count from one', async () => {
  const gateway = await open();
  const filters = await makeAtBoth(gateway);
  for (const [id, expected] of filters) {
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/);
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      for (let count = 0; count < 4; count += 1)
        expect((await post(gateway, call(method, [id]))).result).toEqual([expected]);
    // As a client sends an id that it keeps as a number.
    expect(
      (await post(gateway, call('eth_getFilterChanges', [`0x00${id.slice(2).toUpperCase()}`]))).result,
    ).toEqual([expected]);
  }
});

it('is its key’s alone: to others of the workspace and outside of it there is none, to read or to uninstall', async () => {
  const gateway = await open();
  const [[id, expected]] = (await makeAtBoth(gateway)) as [[string, string]];
  for (const key of strangers) {
    for (const guess of [id, '0x1', '0x2', '1', '', 'x'.repeat(5_000)]) {
      expect((await post(gateway, call('eth_getFilterChanges', [guess]), key)).error).toEqual(NOT_FOUND);
      expect((await post(gateway, call('eth_uninstallFilter', [guess]), key)).result).toBe(false);
    }
    for (const params of [[], [1], [['0x1']], [null]])
      expect((await post(gateway, call('eth_getFilterLogs', params), key)).error).toMatchObject({
        code: -32602,
      });
    expect(
      (await post(gateway, { ...call('eth_getFilterLogs'), params: { 0: '0x1' } }, key)).error,
    ).toMatchObject({ code: -32602 });
  }
  expect((await post(gateway, call('eth_getFilterChanges', [id]))).result).toEqual([expected]);
  expect((await post(gateway, call('eth_uninstallFilter', [id]))).result).toBe(true);
  expect((await post(gateway, call('eth_getFilterChanges', [id]))).error).toEqual(NOT_FOUND);
});

it('is not found where its node is gone', async () => {
  const gateway = await open();
  const filters = await makeAtBoth(gateway);
  await nodes[0]!.stop();
  await waitFor(() => gateway.directory.find('ethereum')!.upstreams[0]!.isDown);
  for (const [id, expected] of filters)
    expect(await post(gateway, call('eth_getFilterChanges', [id]))).toMatchObject(
      expected.startsWith('of node 0') ? { error: NOT_FOUND } : { result: [expected] },
    );
});

it('works inside batches, in their order, with each id as it was sent', async () => {
  const gateway = await open({ cacheBytes: 1_000_000 });
  const replies = await post<Reply[]>(gateway, [
    call('eth_newFilter', [{}], 'a'),
    call('eth_chainId', [], 'b'),
    call('eth_newPendingTransactionFilter', [], 'c'),
    { jsonrpc: '2.0', method: 'eth_newBlockFilter', params: [] },
  ]);
  expect(replies).toEqual([
    { jsonrpc: '2.0', id: 'a', result: expect.stringMatching(/^0x[0-9a-f]{32}$/) },
    { jsonrpc: '2.0', id: 'b', result: 'eth_chainId' },
    { jsonrpc: '2.0', id: 'c', result: expect.stringMatching(/^0x[0-9a-f]{32}$/) },
  ]);
  const [first, , second] = replies.map(({ result }) => result as string);
  const asked = await post<Reply[]>(gateway, [
    call('eth_getFilterChanges', [first], 1),
    call('eth_getFilterChanges', ['0x1'], 2),
    call('eth_uninstallFilter', [second], 3),
  ]);
  expect(asked).toMatchObject([
    { id: 1, result: [expect.stringContaining('of node')] },
    { id: 2, error: NOT_FOUND },
    { id: 3, result: true },
  ]);
  expect((await post<Reply[]>(gateway, [call('eth_getFilterChanges', [first])]))[0]!.result).toEqual([
    expect.stringContaining('of node'),
  ]);
});

it('are a bounded number for each key', async () => {
  const gateway = await open();
  const batch = Array.from({ length: 1_000 }, (_, id) => call('eth_newBlockFilter', [], id));
  const ids = (await post<Reply[]>(gateway, batch)).map(({ result }) => result as string);
  expect(new Set(ids).size).toBe(1_000);
  expect((await post(gateway, call('eth_newBlockFilter'))).error).toMatchObject({ code: -32005 });
  expect(await make(gateway, strangers[0])).toMatch(/^0x/);
  await post(gateway, call('eth_uninstallFilter', [ids[0]]));
  expect(await make(gateway)).toMatch(/^0x/);
});

it('an error of a node is the client’s, and an id that is none is not passed on', async () => {
  const gateway = await open();
  for (const node of nodes)
    node.answer = (_seen, res) =>
      sendJson(res, { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no filters here"}}' });
  expect((await post(gateway, call('eth_newBlockFilter'))).error).toEqual({
    code: -32601,
    message: 'no filters here',
  });
  for (const node of nodes)
    node.answer = (_seen, res) => sendJson(res, { body: '{"jsonrpc":"2.0","id":1,"result":{"x":1}}' });
  const response = await fetch(`${gateway.url}/ethereum`, {
    method: 'POST',
    body: JSON.stringify(call('eth_newBlockFilter')),
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  expect(response.status).toBe(502);
});

it('of TRON, one that is unknown is an error to uninstall as well', async () => {
  for (const node of nodes) node.health.eth_chainId = () => '0x7a69';
  const gateway = await world.open({ [TRON]: nodes.map(({ url }) => `${url}/jsonrpc`) });
  const chain = gateway.directory.find('tron-local')!;
  await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  const id = (await post(gateway, call('eth_newBlockFilter'), undefined, 'tron-local')).result;
  expect((await post(gateway, call('eth_getFilterChanges', [id]), undefined, 'tron-local')).result).toEqual([
    expect.stringContaining('of node'),
  ]);
  expect((await post(gateway, call('eth_uninstallFilter', ['0x1']), undefined, 'tron-local')).error).toEqual(
    NOT_FOUND,
  );
});

describe('with several replicas', () => {
  let redis: RedisHandle;
  let cache: Cache;
  beforeAll(async () => {
    redis = await startRedis();
    // A slow answer on a busy machine must not count as a hanging Redis.
    cache = createCache(redis.url, { timeoutMs: 10_000 });
    await waitFor(() => cache.isReady);
  });
  afterAll(async () => {
    await cache.close();
    await redis.stop();
  });

  it('one finds what the other made, for the same key alone, and goes on where Redis ends', async () => {
    const replicas = await Promise.all([open({ cache }), open({ cache })]);
    const [one, two] = replicas as [Gateway, Gateway];
    const filters = await makeAtBoth(one);
    for (const [id, expected] of filters) {
      expect((await post(two, call('eth_getFilterChanges', [id]))).result).toEqual([expected]);
      for (const key of strangers)
        expect((await post(two, call('eth_getFilterChanges', [id]), key)).error).toEqual(NOT_FOUND);
    }
    await redis.kill9();
    for (const [id, expected] of filters)
      for (const replica of replicas)
        expect((await post(replica, call('eth_getFilterChanges', [id]))).result).toEqual([expected]);
  });
});
