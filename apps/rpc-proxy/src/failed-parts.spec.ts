// SPDX-License-Identifier: Apache-2.0
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { answerResult, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const TIMED_OUT = 'execution timeout';
/** A call that reverted, as callTracer and parity's traces show it: the same at every execution. */
const REVERTED = '{"from":"0x1","gas":"0x5","error":"execution reverted","revertReason":"no","type":"CALL"}';
const REVERTED_TRACE =
  '{"action":{"callType":"call"},"blockHash":"0xa","blockNumber":16,"error":"Reverted","result":null,"traceAddress":[]}';
const TRACE = '{"action":{},"blockNumber":16,"result":{"gasUsed":"0x1"},"traceAddress":[]}';
const RECEIPT = '{"blockNumber":"0x10","logs":[],"status":"0x1"}';

let world: SpecWorld;
let node: SpecNode;
let tron: SpecNode;
let redis: RedisHandle;
let cache: Cache;
let gateways: Gateway[];
/** What the gateways store in Redis. */
const stores: Promise<boolean>[] = [];

beforeAll(async () => {
  [world, node, tron, redis] = await Promise.all([
    startSpecWorld(),
    startSpecNode(),
    startSpecNode(undefined, { chainId: 0x2b6653dc }),
    startRedis(),
  ]);
  cache = createCache(redis.url);
  await waitFor(() => cache.isReady);
  const upstreams = {
    ...Object.fromEntries(['eip155:1', BITCOIN, SOLANA].map((gid) => [gid, [node.url]])),
    'tron:0x2b6653dc': [`${tron.url}/jsonrpc`],
  };
  const watched: Cache = {
    ...cache,
    get isReady() {
      return cache.isReady;
    },
    setBytes: (...of) => {
      const storing = cache.setBytes(...of);
      stores.push(storing);
      return storing;
    },
  };
  const shared = {
    cacheBytes: 50_000_000,
    cache: watched,
    sharedCacheSeconds: 60,
    sharedHeadStartMs: 60_000,
  };
  gateways = await Promise.all([world.open(upstreams, shared), world.open(upstreams, shared)]);
  for (const gateway of gateways)
    await waitFor(() =>
      ['ethereum', 'bitcoin', 'solana', 'tron'].every((name) => {
        const chain = gateway.directory.find(name)!;
        return chain.finalNumber > 0 && chain.upstreams.every((upstream) => chain.serves(upstream));
      }),
    );
});
afterAll(async () => {
  await world.stop();
  await Promise.all([cache.close(), redis.stop(), node.stop(), tron.stop()]);
  expect(world.failures).toEqual([]);
});
beforeEach(() => {
  node.seen.length = 0;
  asked += 1;
});

const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
/** Parameters of no other test. */
let asked = 0;

const call = (method: string, params: string, id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

async function post(gateway: Gateway, body: string, path = '/ethereum'): Promise<string> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return response.text();
}

/** How many of four equal calls reach the node: one each, one inside a batch, one by another replica. */
async function reach(method: string, params: string, result: string, path = '/ethereum'): Promise<number> {
  const { seen } = path === '/tron' ? tron : node;
  seen.length = 0;
  stores.length = 0;
  node.answer = tron.answer = answerResult(result);
  const own = params.replaceAll('$', asked.toString(16));
  expect(await post(gateways[0]!, call(method, own), path)).toContain(result);
  expect(await post(gateways[0]!, call(method, own, '2'), path)).toContain(result);
  expect(await post(gateways[0]!, `[${call(method, own, '3')}]`, path)).toContain(result);
  // What the first gateway keeps is on its way to Redis.
  if (seen.length === 1) await waitFor(() => stores.length > 0);
  await Promise.all(stores);
  expect(await post(gateways[1]!, call(method, own, '4'), path)).toContain(result);
  return seen.length;
}

const inList = (part: string): string => `[{"txHash":"0x1","result":${REVERTED}},${part}]`;

it.each([
  ['debug_traceBlockByNumber', inList(`{"txHash":"0x2","error":"${TIMED_OUT}"}`)],
  ['debug_traceBlockByNumber', inList(`{"error":"${TIMED_OUT}"}`)],
  ['debug_traceBlockByNumber', inList('{"txHash":"0x2","error":"execution reverted"}')],
  ['debug_traceBlockByNumber', inList(`{"txHash":"0x2","result":{"type":"CALL"},"error":"out of gas"}`)],
  ['debug_traceBlockByNumber', inList('{"txHash":"0x2","error":{"code":-32000,"message":"missing"}}')],
  ['debug_traceBlockByNumber', inList('{"code":-32000,"message":"missing trie node"}')],
  ['debug_traceBlockByNumber', inList('{"txHash":"0x2","result":null}')],
  ['debug_traceBlockByNumber', inList(`{"txHash":"0x2","result":{"error":"${TIMED_OUT}"}}`)],
  ['debug_traceBlockByNumber', inList(`{"result":{"type":"CALL","from":"0x1","error":"${TIMED_OUT}"}}`)],
  ['debug_traceBlockByNumber', inList('null')],
  ['debug_traceBlockByNumber', `{ "error" : "${TIMED_OUT}" }`],
  ['debug_getRawReceipts', '["0x01",null]'],
  ['trace_block', `[${TRACE},{"error":"${TIMED_OUT}"}]`],
  ['trace_block', `[${TRACE},{"action":{},"blockNumber":16,"error":"${TIMED_OUT}"}]`],
  ['trace_block', `[${TRACE}, null ]`],
  ['eth_getBlockReceipts', `[${RECEIPT},null]`],
  ['eth_getBlockReceipts', `[${RECEIPT},{"error":"not found"}]`],
  ['eth_getBlockReceipts', '[{"blockNumber":"0x10","logs":null}]'],
  ['eth_getBlockReceipts', '[ null , null ]'],
  ['eth_getBlockReceipts', '[       ]'],
  ['eth_getBlockByNumber', '{"number":"0x10","transactions":null}'],
  ['eth_getBlockByNumber', '{"number":"0x10","transactions":["0x1",null]}'],
  ['eth_getBlockByNumber', '{"code":-32000,"message":"header not found"}'],
  ['eth_getBlockByNumber', '{"Error":"class java.lang.Exception : busy"}'],
])('is asked again: %s %s', async (method, result) => {
  expect(await reach(method, '["0x10","$"]', result)).toBe(4);
});

it.each([
  ['debug_traceBlockByNumber', inList(`{"txHash":"0x2","result":${REVERTED}}`)],
  [
    'debug_traceBlockByNumber',
    '[{"result":{"type":"CALL","calls":[{"type":"CALL","error":"invalid opcode: INVALID"}]}}]',
  ],
  ['debug_traceBlockByNumber', '[{"txHash":"0x1","result":{"type":"CALL"},"error":null}]'],
  ['debug_traceBlockByNumber', '[{"txHash":"0x1","result":{"output":"\\"error\\":\\"timeout\\""}}]'],
  ['trace_block', `[${TRACE},${REVERTED_TRACE}]`],
  ['eth_getBlockReceipts', '[{"blockNumber":"0x10","to":null,"contractAddress":null,"logs":[]}]'],
])('is kept, because it is the same at every execution: %s %s', async (method, result) => {
  expect(await reach(method, '["0x10","$"]', result)).toBe(1);
});

it.each([
  [
    'bitcoin',
    'estimatesmartfee',
    '[6,"$"]',
    '{"errors":["Insufficient data or no feerate found"],"blocks":6}',
  ],
  ['solana', 'getBlock', '[5,{"x":"$"}]', '{"blockhash":"x","transactions":[{"meta":null}]}'],
  ['solana', 'getBlock', '[5,{"x":"$"}]', '{"blockhash":"x","blockTime":null}'],
  ['solana', 'getTransaction', '["$"]', '{"slot":5,"meta":null}'],
  // A slot above the final one: a fork may have another time.
  ['solana', 'getBlockTime', '[5000,"$"]', '1700000000'],
  ['solana', 'getSignaturesForAddress', '["$"]', '[]'],
  ['tron', 'eth_getBlockByNumber', '["0x10","$"]', '{"Error":"class java.lang.Exception : lack"}'],
  ['tron', 'eth_getBlockReceipts', '["0x10","$"]', `[${RECEIPT},null]`],
])('nor is it of other families: %s %s', async (path, method, params, result) => {
  expect(await reach(method, params, result, `/${path}`)).toBe(4);
});

it.each([
  ['eth_simulateV1', '[{"calls":[{"status":"0x0","error":{"code":3}}]}]'],
  ['trace_replayBlockTransactions', `[{"output":"0x","trace":[${TRACE}]}]`],
  ['debug_traceTransaction', REVERTED],
])('has no rule, so it is neither kept nor shared: %s', async (method, result) => {
  expect(await reach(method, '["0x10","$"]', result)).toBe(4);
});

it("an error of TRON's wallet API under status 200 is asked again, and so is everything of it", async () => {
  for (const body of [
    '{"Error":"class java.lang.Exception : x"}',
    '{"result":{"code":"SERVER_BUSY"}}',
    '{"balance":5}',
  ]) {
    tron.seen.length = 0;
    tron.answer = (_seen, res) => void res.setHeader('content-type', 'application/json').end(body);
    const ask = () => post(gateways[0]!, '{"address":"41"}', '/tron/wallet/getaccount');
    expect([await ask(), await ask()]).toEqual([body, body]);
    expect(tron.seen).toHaveLength(2);
  }
});

it("a transaction's own failure is a fact: Solana's err", async () => {
  const result =
    '{"blockhash":"x","blockTime":1,"transactions":[{"meta":{"err":{"Custom":1},"status":{"Err":1}}}]}';
  expect(await reach('getBlock', '[5,{"x":"$"}]', result, '/solana')).toBe(1);
});

it('callers that joined a call get no failure of it: each asks for itself', async () => {
  const held: (() => void)[] = [];
  const failed = inList(`{"txHash":"0x2","error":"${TIMED_OUT}"}`);
  const whole = inList(`{"txHash":"0x2","result":${REVERTED}}`);
  node.answer = (seen, res, req) =>
    void held.push(() => answerResult(node.seen.length === 1 ? failed : whole)(seen, res, req));
  const ask = (id: string) => post(gateways[0]!, call('debug_traceBlockByNumber', `["0x10","joined"]`, id));
  const first = ask('1');
  await waitFor(() => held.length === 1);
  const others = [ask('2'), ask('3')];
  await new Promise((resolve) => setTimeout(resolve, 50));
  held.shift()!();
  expect(await first).toContain(TIMED_OUT);
  await waitFor(() => held.length >= 1);
  const answering = setInterval(() => held.splice(0).forEach((answer) => answer()), 5);
  const told = await Promise.all(others);
  clearInterval(answering);
  for (const text of told) expect(text).toContain(whole);
});

it('a failure that a release before this one stored in Redis is not believed', async () => {
  const params = '["0x10","old"]';
  const failed = `[{"txHash":"0x1","error":"${TIMED_OUT}"}]`;
  const { createHash } = await import('node:crypto');
  const name = `rpc:1:eip155:1|debug_traceBlockByNumber|${createHash('sha256').update(`|"2.0"|${params}`).digest('base64url')}`;
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${failed}}`);
  const head = Buffer.alloc(9);
  head.writeUInt32BE(body.indexOf('1,"result"'), 0);
  head.writeUInt32BE(body.indexOf(',"result"'), 4);
  head.writeUInt8(16, 8);
  await cache.setBytes(name, Buffer.concat([head, Buffer.from('application/json'), body]), 60);
  node.answer = answerResult(`[{"txHash":"0x1","result":${REVERTED}}]`);
  expect(await post(gateways[0]!, call('debug_traceBlockByNumber', params))).toContain('reverted');
  expect(node.seen).toHaveLength(1);
});

it('a node that is alone and behind what was final is no witness for it', async () => {
  const [ahead, behind] = await Promise.all([
    startSpecNode(answerResult('[{"blockNumber":"0x1"}]'), { head: 200 }),
    startSpecNode(answerResult('[{"blockNumber":"0x1"}]'), { head: 150 }),
  ]);
  const gateway = await world.open({ 'eip155:1': [ahead.url, behind.url] }, { cacheBytes: 1_000_000 });
  const chain = gateway.directory.find('ethereum')!;
  await waitFor(() => chain.finalNumber === 190);
  ahead.refusal = { status: 503, body: 'gone' };
  await waitFor(() => chain.headNumber === 150);
  // Height 180 was final to the node that is gone: this one answers without the blocks that it does not have.
  const logs = call('eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0xb4"}]');
  await post(gateway, logs);
  await new Promise((resolve) => setTimeout(resolve, 60));
  behind.health.eth_getBlockByNumber = ([tag]) =>
    tag === 'latest' ? { number: '0x97', hash: '0x97' } : { number: '0x8d', hash: '0x8d' };
  await waitFor(() => chain.headNumber === 151);
  await post(gateway, logs);
  expect(behind.seen.filter(({ body }) => body.includes('eth_getLogs'))).toHaveLength(2);
  await Promise.all([ahead.stop(), behind.stop()]);
});
