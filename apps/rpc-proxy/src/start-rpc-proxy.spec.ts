// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { hashApiKey } from '@chainwatch/common/api-key';
import { WebSocket } from 'ws';
import { Redis } from 'ioredis';
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

type Gateway = RpcProxy & { readonly url: string };

const ETHEREUM = 'eip155:1';
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

let world: SpecWorld;
let nodes: SpecNode[];
beforeAll(async () => {
  world = await startSpecWorld();
  nodes = await Promise.all([0, 1, 2].map(() => startSpecNode()));
});
afterAll(async () => {
  await world.stop();
  await Promise.all(nodes.map((node) => node.stop()));
  expect(world.failures).toEqual([]);
});
beforeEach(() => {
  for (const node of nodes) {
    node.answer = answerResult('"0x1"');
    node.seen.length = 0;
    node.isSilent = false;
    node.refusal = undefined;
    setHead(node, 100);
    node.health.eth_chainId = () => '0x1';
  }
});

/** Sets the head that the node reports, to the gateway and to clients. */
function setHead(node: SpecNode, number: number, hash = `0x${number.toString(16).padStart(64, '0')}`): void {
  node.health.eth_getBlockByNumber = ([tag]) =>
    tag === 'latest'
      ? { number: `0x${number.toString(16)}`, hash }
      : { number: `0x${(number - 10).toString(16)}`, hash };
  node.health.getblockcount = () => number;
  node.health.getSlot = () => number;
}

async function post(
  gateway: Gateway,
  body: string,
  { path = '/ethereum', key = world.project.keys.rpc }: { path?: string; key?: string | undefined } = {},
) {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined || key === '' ? {} : { 'x-api-key': key }),
  };
  const response = await fetch(gateway.url + path, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const call = (method: string, params = '[]', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const upstreamsOf = (gateway: Gateway, name = 'ethereum') => gateway.directory.find(name)!.upstreams;
const isServing = (gateway: Gateway, index: number, name = 'ethereum'): boolean =>
  gateway.directory.find(name)!.serves(upstreamsOf(gateway, name)[index]!);
const allServe = (gateway: Gateway): Promise<boolean> =>
  waitFor(() =>
    [...gateway.directory.chains].every((chain) =>
      chain.upstreams.every((upstream) => chain.serves(upstream)),
    ),
  );

describe('keys', () => {
  afterAll(() => world.stopGateways());
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await world.open({ [ETHEREUM]: [nodes[0]!.url], [BITCOIN]: [nodes[0]!.url] });
    await allServe(gateway);
  });

  it('missing, malformed and unknown ones are 401 with the limits told', async () => {
    for (const [key, error] of [
      ['', 'missing API key'],
      ['svc_rpc_x', 'invalid API key'],
      [`${world.project.keys.rpc.slice(0, -1)}?`, 'invalid API key'],
      ['svc_rpc_0123456789ABCDEFGHIJKLMN2YbPlI', 'invalid API key'],
    ] as const) {
      const { status, text, headers } = await post(gateway, call('eth_chainId'), { key });
      expect([status, JSON.parse(text)]).toEqual([401, { error }]);
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    }
  });

  it('of another type, and without the permission of the method, are 403', async () => {
    const readOnly = await world.makeKey(['rpc:evm:read']);
    expect((await post(gateway, call('eth_chainId'), { key: world.project.keys.api })).status).toBe(403);
    expect((await post(gateway, call('eth_chainId'), { key: readOnly })).status).toBe(200);
    expect(await post(gateway, call('eth_sendRawTransaction', '["0x02"]'), { key: readOnly })).toMatchObject({
      status: 403,
      text: expect.stringContaining('rpc:evm:send'),
    });
    expect(
      (
        await post(gateway, `[${call('eth_chainId')},${call('eth_sendRawTransaction', '["0x02"]')}]`, {
          key: readOnly,
        })
      ).status,
    ).toBe(403);
    expect((await post(gateway, call('getblockcount'), { key: readOnly, path: '/bitcoin' })).status).toBe(
      403,
    );
    expect((await post(gateway, '[]', { key: readOnly, path: '/bitcoin' })).status).toBe(403);
  });

  it('are forgotten when the bus says so', async () => {
    const key = await world.makeKey(['rpc:evm:read']);
    expect((await post(gateway, call('eth_chainId'), { key })).status).toBe(200);
    // The key was rolled, and its grace period continues.
    world.tell('key.revoked', {
      schema: 1,
      key_hash: Buffer.from(hashApiKey(key)).toString('hex'),
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect((await post(gateway, call('eth_chainId'), { key })).status).toBe(200);
    await world.db.query('UPDATE api_keys SET revoked_at = now() WHERE key_hash = $1', [
      Buffer.from(hashApiKey(key)),
    ]);
    world.tell('key.revoked', { schema: 1, key_hash: Buffer.from(hashApiKey(key)).toString('hex') });
    expect((await post(gateway, call('eth_chainId'), { key })).status).toBe(401);
  });

  it('have a limit, which a batch meets with each of its calls', async () => {
    const limited = await world.open(
      { [ETHEREUM]: [nodes[0]!.url] },
      { limits: { perKey: 5, failedPerClient: 2, publicPerClient: 2 } },
    );
    await allServe(limited);
    const first = await post(limited, call('eth_chainId'));
    expect([
      first.status,
      first.headers.get('x-ratelimit-limit'),
      first.headers.get('x-ratelimit-remaining'),
    ]).toEqual([200, '5', '4']);
    expect(Number(first.headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(Date.now() / 1_000);
    expect(
      (
        await post(limited, `[${Array.from({ length: 3 }, () => call('eth_chainId')).join(',')}]`)
      ).headers.get('x-ratelimit-remaining'),
    ).toBe('1');
    const over = await post(limited, `[${call('eth_chainId')},${call('eth_chainId')}]`);
    expect([
      over.status,
      Number(over.headers.get('retry-after')) > 0,
      Object.keys(JSON.parse(over.text) as object),
    ]).toEqual([429, true, ['error']]);
    // An unknown key is not looked up if its address guessed too often.
    const key = await world.makeKey(['rpc:evm:read']);
    expect((await post(limited, call('eth_chainId'), { key })).status).toBe(200);
    const failures = await Promise.all([1, 2, 3].map(() => post(limited, call('eth_chainId'), { key: 'x' })));
    expect(failures.map(({ status }) => status).sort()).toEqual([401, 401, 429]);
    // Also what needs no key, by the client's address, and an upgrade that is refused.
    const lists = [
      await fetch(limited.url),
      await fetch(limited.url, { method: 'POST' }),
      await fetch(limited.url),
    ];
    expect(
      lists.map(({ status, headers }) => [
        status,
        headers.get('x-ratelimit-remaining'),
        headers.has('x-ratelimit-reset'),
        headers.has('retry-after'),
      ]),
    ).toEqual([
      [200, '1', true, false],
      [405, '0', true, false],
      [429, '0', true, true],
    ]);
    const headersOfUpgrade = async (key: string, path: string) => {
      const socket = new WebSocket(`${limited.url.replace('http', 'ws')}${path}`, {
        headers: { 'x-api-key': key },
      });
      socket.on('error', () => undefined);
      const [status, headers] = await new Promise<[number, IncomingHttpHeaders]>((resolve) => {
        socket.on('unexpected-response', (_req, res) => resolve([res.statusCode!, res.headers]));
        socket.on('upgrade', (res) => resolve([res.statusCode!, res.headers]));
      });
      socket.terminate();
      return [status, headers['x-ratelimit-limit'], headers['retry-after'] !== undefined];
    };
    expect(await headersOfUpgrade(key, '/ethereum')).toEqual([101, '5', false]);
    expect(await headersOfUpgrade(key, '/nowhere')).toEqual([404, '5', false]);
    expect(await headersOfUpgrade('x', '/ethereum')).toEqual([429, '2', true]);
  });
});

describe('networks', () => {
  afterAll(() => world.stopGateways());
  it('go by id and alias, and are listed without a key and without addresses', async () => {
    const gateway = await world.open({ [ETHEREUM]: [nodes[0]!.url] });
    await allServe(gateway);
    for (const path of [
      '/ethereum',
      '/ETH',
      '/eth-mainnet',
      '/eip155:1',
      '/eip155%3A1',
      '/eip155%3a1',
      '/ethereum/',
    ])
      expect((await post(gateway, call('eth_chainId'), { path })).status).toBe(200);
    expect(await post(gateway, call('eth_chainId'), { path: '/nowhere' })).toMatchObject({
      status: 404,
      text: '{"error":"network not found"}',
    });
    expect(await post(gateway, call('getblockcount'), { path: '/bitcoin' })).toMatchObject({
      status: 502,
      text: '{"error":"network unavailable"}',
    });
    const list = await (await fetch(gateway.url)).text();
    expect(
      (JSON.parse(list) as { networks: { chain_gid: string }[] }).networks.find(
        ({ chain_gid: gid }) => gid === ETHEREUM,
      ),
    ).toMatchObject({
      aliases: ['eth', 'eth-mainnet', 'ethereum-mainnet'],
      family: 'evm',
      status: 'healthy',
      head_number: 100,
    });
    expect(list).not.toContain('127.0.0.1');
  });

  it('take the endpoint of the platform API, and the next one, within two seconds', async () => {
    const gateway = await world.open({});
    const gid = 'eip155:137';
    const seal = (url: string): string => world.sealer.seal(url, `endpoint:${gid}`);
    for (const node of nodes) node.health.eth_chainId = () => '0x89';
    await world.db.query(
      "INSERT INTO blockchains (gid, family, name, short_name, image_url, endpoint_sealed) VALUES ($1, 'evm', 'polygon', 'pol', 'https://x', $2)",
      [gid, seal(`${nodes[0]!.url}/v1?key=secret`)],
    );
    await waitFor(() => upstreamsOf(gateway, 'polygon').length === 1 && isServing(gateway, 0, 'polygon'));
    await post(gateway, call('eth_estimateGas'), { path: '/polygon' });
    expect(nodes[0]!.seen[0]!.url).toBe('/v1?key=secret');
    await world.db.query('UPDATE blockchains SET endpoint_sealed = $2 WHERE gid = $1', [
      gid,
      seal(nodes[1]!.url),
    ]);
    world.tell('chain.changed', { schema: 1, chain_gid: gid });
    await waitFor(
      () =>
        upstreamsOf(gateway, 'polygon')[0]!.source.url === nodes[1]!.url && isServing(gateway, 0, 'polygon'),
    );
    await post(gateway, call('eth_estimateGas'), { path: '/polygon' });
    expect(nodes[1]!.seen).toHaveLength(1);
    expect(JSON.stringify(await gateway.readiness())).not.toContain('secret');
    // A further node, with its weight; it goes when its row does.
    const id = '6f1d1f4e-0000-4000-8000-000000000001';
    await world.db.query(
      "INSERT INTO chain_endpoints (id, chain_gid, url_sealed, url_shown, weight) VALUES ($1, $2, $3, '', 7)",
      [id, gid, world.sealer.seal(nodes[0]!.url, `chain_endpoint:${id}`)],
    );
    await waitFor(() => upstreamsOf(gateway, 'polygon').length === 2 && isServing(gateway, 1, 'polygon'));
    expect(upstreamsOf(gateway, 'polygon').map(({ source }) => [source.url, source.weight])).toEqual([
      [nodes[1]!.url, 1],
      [nodes[0]!.url, 7],
    ]);
    await world.db.query('DELETE FROM chain_endpoints');
    await waitFor(() => upstreamsOf(gateway, 'polygon').length === 1);
    // The gateways of the other tests run without the row.
    await world.db.query('DELETE FROM blockchains');
  });
});

describe('the two interfaces of TRON', () => {
  afterAll(() => world.stopGateways());
  const TRON = 'tron:0x2b6653dc';
  const NOWBLOCK = '/tron/wallet/getnowblock';
  let jsonRpc: SpecNode;
  let wallets: SpecNode[];
  beforeAll(async () => {
    const chainId = 0x2b6653dc;
    jsonRpc = await startSpecNode(answerResult('"json"'), { chainId });
    // The node lacks the other interface: it answers questions about it like any web server.
    jsonRpc.health.getblock = () => undefined;
    wallets = await Promise.all(
      [0, 1].map((index) =>
        startSpecNode((_seen, res) => sendJson(res, { body: `{"from":${index}}` }), { chainId }),
      ),
    );
  });
  afterAll(() => Promise.all([jsonRpc, ...wallets].map((node) => node.stop())));

  it('may stand on different hosts: each is asked, watched and told of by itself', async () => {
    const seal = (url: string, field: string): string => world.sealer.seal(url, `${field}:${TRON}`);
    await world.db.query(
      "INSERT INTO blockchains (gid, family, name, short_name, image_url, endpoint_sealed, other_endpoints_sealed) VALUES ($1, 'tron', 'tron', 'trx', 'https://x', $2, jsonb_build_object('evm', $3::text))",
      [
        TRON,
        seal(`${wallets[0]!.url}/key/wallet?token=t`, 'endpoint'),
        seal(`${jsonRpc.url}/eth`, 'evm_endpoint'),
      ],
    );
    const gateway = await world.open({});
    const chain = gateway.directory.find('tron')!;
    const wallet = chain.paths!;
    await waitFor(() => chain.serves(chain.upstreams[0]!) && wallet.serves(wallet.upstreams[0]!));
    expect((await post(gateway, call('eth_call'), { path: '/tron' })).text).toContain('"json"');
    expect((await post(gateway, '{}', { path: `${NOWBLOCK}?visible=true` })).text).toBe('{"from":0}');
    expect([jsonRpc.seen.map(({ url }) => url), wallets[0]!.seen.map(({ url }) => url)]).toEqual([
      ['/eth'],
      ['/key/wallet/getnowblock?visible=true&token=t'],
    ]);
    // The head of one interface is no least block for the other: their nodes may be at different heights.
    const listed = async () =>
      (
        JSON.parse(await (await fetch(gateway.url)).text()) as { networks: { chain_gid: string }[] }
      ).networks.find(({ chain_gid: gid }) => gid === TRON);
    expect(await listed()).toMatchObject({ status: 'healthy', wallet_status: 'healthy' });
    wallets[0]!.health.getblock = () => undefined;
    await waitFor(() => !wallet.serves(wallet.upstreams[0]!));
    expect(await listed()).toMatchObject({ status: 'healthy', wallet_status: 'unavailable' });
    expect(await gateway.readiness()).toMatchObject({
      [TRON]: {
        ok: true,
        status: 'healthy',
        wallet: {
          status: 'unavailable',
          upstreams: [
            { label: wallets[0]!.url, serving: false, reason: expect.stringContaining('expected a block') },
          ],
        },
      },
    });
    await world.db.query('DELETE FROM blockchains');
  });

  it('have answers that are kept, and state that is never taken for history', async () => {
    const gateway = await world.open({ [TRON]: [jsonRpc.url] }, { cacheBytes: 1_000_000 });
    const chain = gateway.directory.find('tron')!;
    await waitFor(() => chain.serves(chain.upstreams[0]!));
    const rows: [method: string, params: string, result: string, expected: number][] = [
      ['eth_getBlockByNumber', '["0x5",true]', '{"number":"0x5"}', 1],
      ['eth_getTransactionReceipt', '["0x1"]', '{"blockNumber":"0x5"}', 1],
      ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x5"}]', '[{"blockNumber":"0x5"}]', 1],
      ['eth_getBlockByNumber', '["0x5f5e100",true]', '{"number":"0x5f5e100"}', 2],
      ['eth_getBalance', '["0x1","0x5"]', '"0x7"', 2],
      ['eth_call', '[{},{"blockNumber":"0x5"}]', '"0x7"', 2],
      ['buildTransaction', '[{}]', '{}', 2],
    ];
    let head = 200;
    for (const [method, params, result, expected] of rows) {
      jsonRpc.answer = answerResult(result);
      jsonRpc.seen.length = 0;
      for (const id of ['1', '"two"']) {
        expect((await post(gateway, call(method, params, id), { path: '/tron' })).text).toBe(
          `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
        );
        setHead(jsonRpc, (head += 1));
        await waitFor(() => chain.headNumber === head);
      }
      expect([method, params, jsonRpc.seen.length]).toEqual([method, params, expected]);
    }
  });

  it('of several nodes pass over those that do not have it, serve another chain or break off', async () => {
    const gateway = await world.open(
      {},
      { endpoints: { [TRON]: [`${jsonRpc.url}/jsonrpc`, ...wallets.map(({ url }) => url)] } },
    );
    const wallet = gateway.directory.find('tron')!.paths!;
    await waitFor(() => wallet.upstreams.every(({ isChecked }) => isChecked));
    expect(wallet.upstreams.map((upstream) => wallet.serves(upstream))).toEqual([false, false, true]);
    wallets[0]!.health.getblock = wallets[1]!.health.getblock!;
    await waitFor(() => wallet.serves(wallet.upstreams[1]!));
    wallets[1]!.answer = (_seen, _res, req) => req.socket.destroy();
    for (let count = 0; count < 5; count += 1)
      expect((await post(gateway, '{}', { path: NOWBLOCK })).text).toBe('{"from":0}');
    wallets[0]!.health.getblock = () => ({ blockID: '0'.repeat(64) });
    await waitFor(() => wallet.upstreams[1]!.isWrongChain);
    wallets[1]!.answer = (_seen, res) => sendJson(res, { body: '{"from":1}' });
    for (let count = 0; count < 5; count += 1)
      expect((await post(gateway, '{}', { path: NOWBLOCK })).text).toBe('{"from":1}');
    expect(jsonRpc.seen.filter(({ url }) => url.includes('wallet'))).toEqual([]);
  });
});

describe('nodes', () => {
  afterAll(() => world.stopGateways());
  const open = async (): Promise<Gateway> => {
    const gateway = await world.open({
      [ETHEREUM]: nodes.map(({ url }) => ({ url, weight: 1, headers: { 'x-node': 'y' } })),
    });
    await allServe(gateway);
    return gateway;
  };
  const ask = (gateway: Gateway, count = 40) =>
    Promise.all(Array.from({ length: count }, () => post(gateway, call('eth_estimateGas'))));

  it('share the calls, each with its own headers', async () => {
    await ask(await open(), 90);
    for (const { seen } of nodes) expect(seen.length).toBeGreaterThan(0);
    expect(nodes[0]!.seen[0]!.headers['x-node']).toBe('y');
  });

  it('of another chain and those that lag get nothing', async () => {
    const gateway = await open();
    nodes[0]!.health.eth_chainId = () => '0x5';
    setHead(nodes[1]!, 50);
    await waitFor(() => !isServing(gateway, 0) && !isServing(gateway, 1));
    await ask(gateway);
    expect(nodes.map(({ seen }) => seen.length)).toEqual([0, 0, 40]);
    expect(await gateway.readiness()).toMatchObject({ [ETHEREUM]: { ok: true, status: 'degraded' } });
  });

  it('that fall silent lose their calls to the others', async () => {
    const gateway = await open();
    nodes[0]!.isSilent = true;
    const replies = await ask(gateway, 60);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('that are taken out of service before they are found silent lose them, too', async () => {
    const gateway = await open();
    nodes[0]!.answer = () => undefined;
    // No second node is asked because the first is slow.
    // One at a time they may all go to another node.
    const sends = Array.from({ length: 30 }, (_, index) =>
      post(gateway, call('eth_sendRawTransaction', `["0x${index}"]`)),
    );
    await waitFor(() => nodes[0]!.seen.length > 0);
    nodes[0]!.refusal = { status: 500, body: 'going down' };
    expect(new Set((await Promise.all(sends)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('never take a client back behind what another one told it', async () => {
    const gateway = await open();
    const tell = (node: SpecNode, number: number): void => {
      node.answer = answerResult(`"0x${number.toString(16)}"`);
    };
    for (const node of nodes) tell(node, 101);
    expect((await post(gateway, call('eth_blockNumber'))).text).toContain('"0x65"');
    // The one that told it is gone; one of the others is there already.
    const first = nodes.findIndex(({ seen }) => seen.length > 0);
    for (const [index, node] of nodes.entries()) tell(node, index === (first + 1) % 3 ? 101 : 100);
    nodes[first]!.answer = (_seen, _res, req) => req.socket.destroy();
    for (let count = 0; count < 6; count += 1)
      expect((await post(gateway, call('eth_blockNumber'))).text).toContain('"0x65"');
  });

  it('that fall behind what they told themselves are left while another one knows better', async () => {
    const gateway = await open();
    for (const node of nodes) node.answer = answerResult('"0x65"');
    await post(gateway, call('eth_blockNumber'));
    const first = nodes.find(({ seen }) => seen.length > 0)!;
    for (const node of nodes) if (node !== first) setHead(node, 101);
    await waitFor(() => gateway.directory.find('ethereum')!.headNumber === 101, { timeoutMs: 30_000 });
    first.answer = answerResult('"0x32"');
    for (let count = 0; count < 10; count += 1)
      expect((await post(gateway, call('eth_blockNumber'))).text).toContain('"0x65"');
  });

  it('that fall behind are left for the others, also where nobody heard of those since', async () => {
    const gateway = await world.open(
      { [ETHEREUM]: nodes.map(({ url }) => url) },
      { healthIntervalMs: 60_000 },
    );
    await allServe(gateway);
    for (const node of nodes) node.answer = answerResult('"0x65"');
    await post(gateway, call('eth_blockNumber'));
    nodes.find(({ seen }) => seen.length > 0)!.answer = answerResult('"0x32"');
    for (let count = 0; count < 10; count += 1)
      expect((await post(gateway, call('eth_blockNumber'))).text).toContain('"0x65"');
  });
});

describe('the cache', () => {
  afterAll(() => world.stopGateways());
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await world.open(
      { [ETHEREUM]: [nodes[0]!.url], [BITCOIN]: [nodes[0]!.url], [SOLANA]: [nodes[0]!.url] },
      { cacheBytes: 10_000_000 },
    );
    await allServe(gateway);
  });
  const block = (number: number): string =>
    `{"number":"0x${number.toString(16)}","blockNumber":"0x${number.toString(16)}","blockhash":"x"}`;
  /** Returns how many of two equal calls with different ids reach the node. */
  const reach = async (
    method: string,
    params: string,
    result: string,
    path = '/ethereum',
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<number> => {
    nodes[0]!.answer = answerResult(result);
    const before = nodes[0]!.seen.length;
    expect((await post(gateway, call(method, params, '1'), { path })).text).toBe(
      `{"jsonrpc":"2.0","id":1,"result":${result}}`,
    );
    await between();
    expect((await post(gateway, call(method, params, '"two"'), { path })).text).toBe(
      `{"jsonrpc":"2.0","id":"two","result":${result}}`,
    );
    return nodes[0]!.seen.length - before;
  };
  let head = 100;
  const nextHead = async (): Promise<void> => {
    head += 1;
    setHead(nodes[0]!, head);
    await waitFor(
      () =>
        gateway.directory.find('ethereum')!.headNumber === head &&
        gateway.directory.find('bitcoin')!.headNumber === head,
    );
  };
  beforeEach(() => setHead(nodes[0]!, head));

  // Final is 90 and more, whatever the head does here.
  it.each([
    ['eth_getBlockByNumber', '["0x5a",true]', block(90)],
    ['eth_getBlockByHash', `["0x${'a'.repeat(64)}",false]`, block(80)],
    ['eth_getBalance', '["0x1","0x10"]', '"0x5"'],
    ['eth_getTransactionReceipt', '["0x2"]', block(70)],
    ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x10"}]', `[${block(5)}]`],
    ['eth_chainId', '[]', '"0x1"'],
    ['eth_call', '[{"to":"0x9"},{"blockNumber":"0x10"}]', '"0x7"'],
    ['eth_getStorageAt', '["0x1","0x0","0x10"]', '"0x7"'],
    ['eth_getTransactionByHash', '["0x5"]', block(60)],
    ['trace_transaction', '["0x5"]', '[{"blockNumber":60,"blockHash":"0xa"}]'],
    ['debug_traceBlockByNumber', '["0x10",{}]', '[{"result":{}}]'],
  ])('keeps final answers for good: %s', async (method, params, result) => {
    expect(await reach(method, params, result, '/ethereum', nextHead)).toBe(1);
  });

  it.each([
    ['eth_getBlockByNumber', '["0x5f5e100",true]', block(100_000_000)],
    ['eth_getTransactionByHash', '["0x3"]', block(100_000_000)],
    ['eth_call', '[{},"latest"]', '"0x7"'],
    ['eth_call', '[{},"finalized"]', '"0x7"'],
    ['eth_getBalance', '["0x3"]', '"0x7"'],
    ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x5f5e100"}]', `[${block(5)}]`],
    ['eth_getLogs', '[{"fromBlock":"0x1"}]', `[${block(5)}]`],
    ['trace_transaction', '["0x6"]', '[{"blockNumber":100000000}]'],
    ['eth_feeHistory', '["0x5","latest",[]]', '{"oldestBlock":"0x1"}'],
    ['eth_gasPrice', '[]', '"0x7"'],
  ])('forgets others with the next head: %s', async (method, params, result) => {
    expect(await reach(method, params, result, '/ethereum', nextHead)).toBe(2);
  });

  it.each([
    ['eth_getTransactionReceipt', '["0x4"]', 'null'],
    ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x2"}]', '[]'],
    ['eth_getCode', '["0x1","0x1"]', '"0x"'],
    ['eth_getBalance', '["0x1","pending"]', '"0x9"'],
    ['eth_estimateGas', '[{}]', '"0x5208"'],
    ['eth_syncing', '[]', 'false'],
    ['txpool_status', '[]', '{"pending":"0x1"}'],
    ['eth_getTransactionByHash', '["0x7"]', '{"blockNumber":null}'],
    ['debug_traceTransaction', '["0x7"]', '{"gas":1}'],
  ])('never keeps what may change: %s %s', async (method, params, result) => {
    expect(await reach(method, params, result)).toBe(2);
  });

  it.each([
    ['getblockhash', '[10]', '"abc"', 1],
    ['getblock', '["abc",0]', '"00ff"', 1],
    ['getblock', '["abc",1]', '{"height":10,"confirmations":3}', 2],
    ['getrawtransaction', '["t"]', '"00"', 2],
    ['getrawtransaction', '["t",0,"abc"]', '"00"', 1],
    ['gettxout', '["t",0]', '{"value":1}', 2],
    ['getblockheader', '["abc",false]', '"00ff"', 1],
    ['getblockheader', '["abc",true]', '{"height":10,"confirmations":3}', 2],
    ['gettxoutproof', '[["t"],"abc"]', '"00"', 1],
    ['gettxoutproof', '[["t"]]', '"00"', 2],
    ['getblockfilter', '["abc"]', '{"filter":"00"}', 1],
    ['getrawtransaction', '["t",1,"abc"]', '{"blockhash":"abc","confirmations":3}', 2],
    ['getblock', '["unknown",0]', '"00ff"', 2],
    ['getblockhash', '{"height":11}', '"abd"', 2],
    ['getrawmempool', '[]', '["t"]', 2],
    ['testmempoolaccept', '[["00"]]', '[{"allowed":true}]', 2],
  ])('of Bitcoin: %s %s', async (method, params, result, expected) => {
    expect(await reach(method, params, result, '/bitcoin', nextHead)).toBe(expected);
  });

  it('of Bitcoin: getblockcount', async () => {
    expect(await reach('getblockcount', '[]', `${head + 1}`, '/bitcoin', nextHead)).toBe(2);
  });

  it.each([
    ['getBlock', '[5]', '{"blockhash":"x"}', 1],
    ['getBlock', '[5,{"commitment":"processed"}]', '{"blockhash":"x"}', 2],
    ['getTransaction', '["sig",{"commitment":"finalized"}]', '{"slot":5}', 1],
    ['getTransaction', '["sig2"]', 'null', 2],
    ['getBalance', '["k"]', '{"value":1}', 2],
    ['getLatestBlockhash', '[]', '{"value":{}}', 2],
    ['getBlockTime', '[5]', '1700000000', 1],
    ['getGenesisHash', '[]', '"5eyk"', 1],
    ['getInflationReward', '[["a"],{"epoch":5}]', '[{"amount":1}]', 1],
    ['getInflationReward', '[["a"]]', '[{"amount":1}]', 2],
    ['getAccountInfo', '["k",{"commitment":"processed"}]', '{"value":{}}', 2],
    ['getSignatureStatuses', '[["s"]]', '{"value":[{}]}', 2],
    ['getTokenAccountBalance', '["k"]', '{"value":{"amount":"1"}}', 2],
    ['getEpochInfo', '[]', '{"epoch":1}', 2],
    ['getVoteAccounts', '[]', '{"current":[1]}', 2],
    ['simulateTransaction', '["AA=="]', '{"value":{}}', 2],
  ])('of Solana: %s %s', async (method, params, result, expected) => {
    expect(await reach(method, params, result, '/solana')).toBe(expected);
  });

  it('tells Ethereum hexadecimal of either case as one, and Solana keys as two', async () => {
    nodes[0]!.answer = answerResult('"0x1"');
    for (const account of ['0xAbCd', '0xabcd', '0xABCD'])
      await post(gateway, call('eth_getBalance', `["${account}","0x1"]`));
    expect(nodes[0]!.seen).toHaveLength(1);
    for (const account of ['AbCd', 'abcd'])
      await post(gateway, call('getTransaction', `["${account}"]`), { path: '/solana' });
    expect(nodes[0]!.seen).toHaveLength(3);
  });

  it('never keeps errors', async () => {
    nodes[0]!.answer = (_seen, res) =>
      sendJson(res, { body: '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted"}}' });
    for (let count = 0; count < 2; count += 1)
      expect((await post(gateway, call('eth_call', '[{"to":"0x5"},"0x1"]'))).text).toContain('reverted');
    expect(nodes[0]!.seen).toHaveLength(2);
  });

  it('shares one request among equal calls in flight, each with its own id, and stays when the first client leaves', async () => {
    const held: (() => void)[] = [];
    nodes[0]!.answer = (seen, res, req) => void held.push(() => answerResult('"shared"')(seen, res, req));
    const countShared = async (): Promise<number> => {
      await gateway.flushUsage();
      return (
        await world.db.query<{ cached: number }>(
          "SELECT coalesce(sum(cached), 0)::int AS cached FROM rpc_usage WHERE method = 'eth_call'",
        )
      ).rows[0]!.cached;
    };
    const before = await countShared();
    const stop = new AbortController();
    const body = (id: number): string => call('eth_call', '[{"to":"0x77"},"latest"]', String(id));
    const first = fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: body(0),
      headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
      signal: stop.signal,
    }).catch(() => 'left');
    await waitFor(() => held.length === 1);
    const others = Array.from({ length: 200 }, (_, index) => post(gateway, body(index + 1)));
    await waitFor(async () => (await countShared()) === before + others.length);
    stop.abort();
    expect(await first).toBe('left');
    for (const answer of held) answer();
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(
      Array.from({ length: 200 }, (_, index) => `{"jsonrpc":"2.0","id":${index + 1},"result":"shared"}`),
    );
    expect(nodes[0]!.seen).toHaveLength(1);
  });

  it('gives each its own answer, under its own id, where it is too large to share', async () => {
    const held: (() => void)[] = [];
    const result = `"${'a'.repeat(5_000_000)}"`;
    nodes[0]!.answer = (seen, res, req) => void held.push(() => answerResult(result)(seen, res, req));
    const asked = ['1', '"two"'].map((id) => post(gateway, call('eth_call', '[{"to":"0x99"},"latest"]', id)));
    await waitFor(() => {
      for (const answer of held.splice(0)) answer();
      return nodes[0]!.seen.length === 2;
    });
    for (const answer of held) answer();
    expect((await Promise.all(asked)).map(({ text }) => text.slice(0, 30))).toEqual([
      '{"jsonrpc":"2.0","id":1,"resul',
      '{"jsonrpc":"2.0","id":"two","r',
    ]);
  });

  it('passes large replies on as they come, and keeps them as well', async () => {
    const result = `"${'a'.repeat(500_000)}"`;
    expect(await reach('eth_getBlockReceipts', '["0x5"]', result)).toBe(1);
  });
});

describe('the cache inside batches', () => {
  afterAll(() => world.stopGateways());
  const TRON = 'tron:0x2b6653dc';
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await world.open(
      { [ETHEREUM]: [nodes[0]!.url], [TRON]: [`${nodes[1]!.url}/jsonrpc`] },
      { cacheBytes: 50_000_000 },
    );
    await waitFor(() => isServing(gateway, 0));
  });
  // The node: a result for each method and its parameters, whoever asks in whatever company.
  const answerOf = ({ id, method, params }: Call): string =>
    `{"jsonrpc":"2.0", "id":${JSON.stringify(id)},"result":{"of":${JSON.stringify(`${method}${JSON.stringify(params)}`)},"n":18446744073709551615}}`;
  const answerCall = ({ body }: { body: string }, res: Parameters<SpecNode['answer']>[1]): void => {
    const asked = JSON.parse(body) as Call;
    sendJson(res, { body: asked.id === undefined ? '' : answerOf(asked) });
  };
  beforeEach(() => {
    for (const node of nodes) node.answer = answerCall;
  });
  const ask = async (...calls: string[]) => (await post(gateway, `[${calls.join(',')}]`)).text;
  const block = (number: number, id = '1') =>
    call('eth_getBlockByNumber', `["0x${number.toString(16)}",false]`, id);
  const answers = (...calls: string[]): string =>
    `[${calls.map((text) => answerOf(JSON.parse(text) as Call)).join(',')}]`;

  it('answers what is kept and sends the rest, in the bytes of the client', async () => {
    await post(gateway, block(5));
    const gas = '{ "jsonrpc":"2.0","method":"eth_estimateGas", "params":[{}],"id":2 }';
    expect(await ask(block(5, '"x"'), gas, block(5, '3'))).toBe(answers(block(5, '"x"'), gas, block(5, '3')));
    expect(nodes[0]!.seen.map(({ body }) => body)).toEqual([block(5), gas]);
    expect(await ask(block(5, '1e2'), block(5, '"\\u00e9"'))).toBe(
      '[' +
        ['1e2', '"\\u00e9"']
          .map((id) => answerOf({ ...(JSON.parse(block(5)) as Call), id: 0 }).replace('"id":0', `"id":${id}`))
          .join(',') +
        ']',
    );
    expect(nodes[0]!.seen).toHaveLength(2);
  });

  it('keeps what a batch brought, and asks a node once for what stands there twice', async () => {
    const twice = [block(6), block(7, '"a"'), block(6, '2')];
    expect(await ask(...twice)).toBe(answers(...twice));
    expect(nodes[0]!.seen.map(({ body }) => body).sort()).toEqual([block(6), block(7, '"a"')].sort());
    expect((await post(gateway, block(7, 'null'))).text).toBe(answerOf(JSON.parse(block(7, 'null')) as Call));
    expect(nodes[0]!.seen).toHaveLength(2);
  });

  it('leaves to the node what is new, a notification, and all of a batch with a write', async () => {
    const reply = ` ${answerOf(JSON.parse(block(8)) as Call)} \n`;
    nodes[0]!.answer = (_seen, res) => sendJson(res, { body: reply });
    expect((await post(gateway, ` [ ${block(8)} ] `)).text).toBe(`[${reply}]`);
    nodes[0]!.answer = answerCall;
    const write = [block(8), call('eth_sendRawTransaction', '["0x02"]', '2'), block(8, '3')];
    expect(await ask(...write)).toBe(answers(...write));
    const silent = '{"jsonrpc":"2.0","method":"eth_call","params":[]}';
    expect(await ask(block(8), silent)).toBe(`[${reply}]`);
    expect(nodes[0]!.seen.map(({ body }) => body)).toEqual([block(8), ...write, silent]);
  });

  it('shares questions under way, of batches and of single calls, also when who asked first leaves', async () => {
    const held: (() => void)[] = [];
    nodes[0]!.answer = (seen, res) => void held.push(() => answerCall(seen, res));
    const stop = new AbortController();
    const headers = { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc };
    const first = fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: `[${block(20)},${block(21, '2')}]`,
      headers,
      signal: stop.signal,
    }).catch(() => 'left');
    await waitFor(() => held.length === 2);
    const single = post(gateway, block(21, '"s"'));
    const batch = ask(block(20, '7'), block(22, '8'));
    await waitFor(() => held.length === 3);
    const inFlightRequests = async () =>
      (
        await world.db.query<{ cached: number }>(
          "SELECT coalesce(sum(cached), 0)::int AS cached FROM rpc_usage WHERE method = 'eth_getBlockByNumber'",
        )
      ).rows[0]!.cached;
    await gateway.flushUsage();
    const before = await inFlightRequests();
    const third = post(gateway, block(22, '9'));
    await waitFor(async () => {
      await gateway.flushUsage();
      return (await inFlightRequests()) > before;
    });
    stop.abort();
    expect(await first).toBe('left');
    for (const answer of held) answer();
    expect((await single).text).toBe(answerOf(JSON.parse(block(21, '"s"')) as Call));
    expect(await batch).toBe(answers(block(20, '7'), block(22, '8')));
    expect((await third).text).toBe(answerOf(JSON.parse(block(22, '9')) as Call));
    expect(nodes[0]!.seen.map(({ body }) => body).sort()).toEqual(
      [block(20), block(21, '2'), block(22, '8')].sort(),
    );
  });

  it('goes on to the end where a node fails, answers with an error, a page or far too much', async () => {
    await post(gateway, block(30));
    nodes[0]!.answer = (_seen, res) =>
      sendJson(res, { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"no"}}' });
    expect(await ask(block(30, '1'), block(31, '2'))).toBe(
      `[${answerOf(JSON.parse(block(30)) as Call)},{"jsonrpc":"2.0","id":2,"error":{"code":-32005,"message":"no"}}]`,
    );
    const failed = async (number: number): Promise<string> => {
      const text = await ask(block(30, '1'), block(number, '2'));
      const kept = answerOf(JSON.parse(block(30)) as Call);
      expect(text.startsWith(`[${kept},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,`)).toBe(true);
      return text.slice(kept.length + 2);
    };
    nodes[0]!.answer = (_seen, res) => sendJson(res, { body: 'no such page', status: 400 });
    expect(await failed(32)).toContain('"the node refused the request with status 400"');
    nodes[0]!.answer = (_seen, _res, req) => req.socket.destroy();
    expect(await failed(33)).toContain('"network unavailable"');
    await waitFor(() => isServing(gateway, 0));
    nodes[0]!.answer = answerResult(`"${'a'.repeat(9_000_000)}"`);
    nodes[0]!.seen.length = 0;
    expect(await failed(34)).toContain('too large for a batch');
    nodes[0]!.answer = answerResult(`"${'a'.repeat(6_000_000)}"`);
    expect((await ask(block(30, '1'), block(35, '2'))).length).toBeGreaterThan(6_000_000);
    expect(nodes[0]!.seen.map(({ body }) => body)).toEqual([block(34, '2'), block(35, '2')]);
  });

  it('is used by TRON as well', async () => {
    nodes[1]!.health.eth_chainId = () => '0x2b6653dc';
    await waitFor(() => isServing(gateway, 0, 'tron'));
    const final = (id: string) => call('eth_getBlockByNumber', '["0x5",false]', id);
    for (const id of ['1', '"b"']) {
      const batch = [final(id), call('eth_estimateGas', '[]', '2'), final('3')];
      expect((await post(gateway, `[${batch.join(',')}]`, { path: '/tron' })).text).toBe(answers(...batch));
    }
    expect(nodes[1]!.seen.map(({ body }) => (JSON.parse(body) as Call).method).sort()).toEqual([
      'eth_estimateGas',
      'eth_estimateGas',
      'eth_getBlockByNumber',
    ]);
  });

  it('never mixes up answers', async () => {
    const item = fc.tuple(
      fc.constantFrom('eth_getBlockByNumber', 'eth_getBalance', 'eth_estimateGas', 'eth_call', 'eth_chainId'),
      fc.nat(3),
      fc.oneof(fc.nat(5), fc.string({ maxLength: 3 }), fc.constant(null)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(item, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
        async (batches) => {
          const texts = batches.map((batch) =>
            batch.map(([method, number, id]) => call(method, `["0x4${number}",false]`, JSON.stringify(id))),
          );
          const got = await Promise.all(texts.map((calls) => ask(...calls)));
          const expected = texts.map((calls) => answers(...calls));
          expect(got).toEqual(expected);
        },
      ),
      { numRuns: Number(process.env.RPC_BATCH_RUNS ?? 12) },
    );
  });
});

describe('the cache that replicas share', () => {
  let redis: RedisHandle;
  let cache: Cache;
  let replicas: Gateway[];
  beforeAll(async () => {
    redis = await startRedis();
    cache = createCache(redis.url);
    await waitFor(() => cache.isReady);
    const open = () =>
      world.open(
        { [ETHEREUM]: [nodes[0]!.url], [BITCOIN]: [nodes[0]!.url] },
        { cacheBytes: 10_000_000, cache, sharedCacheSeconds: 60, sharedHeadStartMs: 60_000 },
      );
    replicas = await Promise.all([open(), open()]);
    await Promise.all(replicas.map(allServe));
  });
  afterAll(async () => {
    await cache.close();
    await redis.stop();
  });

  const nameOf = (method: string, params: string, gid = ETHEREUM): string =>
    `rpc:1:${gid}|${method}|${createHash('sha256').update(`|"2.0"|${params}`).digest('base64url')}`;
  /** Returns how many of two equal calls, one to each replica, reach the node. */
  const reach = async (
    method: string,
    params: string,
    result: string,
    { path = '/ethereum', isKept = true } = {},
  ): Promise<number> => {
    nodes[0]!.answer = answerResult(result);
    const before = nodes[0]!.seen.length;
    expect((await post(replicas[0]!, call(method, params), { path })).text).toBe(
      `{"jsonrpc":"2.0","id":1,"result":${result}}`,
    );
    if (isKept)
      await waitFor(
        async () =>
          (await cache.findBytes(nameOf(method, params, path === '/bitcoin' ? BITCOIN : ETHEREUM))) !==
          undefined,
      );
    expect((await post(replicas[1]!, call(method, params, '"two"'), { path })).text).toBe(
      `{"jsonrpc":"2.0","id":"two","result":${result}}`,
    );
    return nodes[0]!.seen.length - before;
  };

  it('has what cannot change, for a time, under chain, method and the hash of the parameters', async () => {
    expect(
      await reach('eth_getBlockByNumber', '["0x5",true]', '{"number":"0x5","x":18446744073709551615.00}'),
    ).toBe(1);
    const client = new Redis(redis.url, { keyPrefix: 'chainwatch:' });
    const left = await client.ttl(nameOf('eth_getBlockByNumber', '["0x5",true]'));
    expect([left > 0, left <= 60]).toEqual([true, true]);
    // The second replica has it for itself from now on.
    await client.del(nameOf('eth_getBlockByNumber', '["0x5",true]'));
    client.disconnect();
    expect((await post(replicas[1]!, call('eth_getBlockByNumber', '["0x5",true]'))).text).toContain(
      '18446744073709551615.00',
    );
    expect(nodes[0]!.seen).toHaveLength(1);
  });

  it('teaches a replica what the answer taught the other one', async () => {
    expect(await reach('getblockhash', '[10]', '"abc"', { path: '/bitcoin' })).toBe(1);
    // That abc is at a final height.
    expect(await reach('getblock', '["abc",0]', '"00ff"', { path: '/bitcoin' })).toBe(1);
  });

  it.each([
    ['eth_getBlockByNumber', '["0x5f5e100",true]', '{"number":"0x5f5e100"}'],
    ['eth_call', '[{},"latest"]', '"0x7"'],
    ['eth_getTransactionReceipt', '["0x4"]', 'null'],
    ['eth_getBlockReceipts', '["0x6"]', `"${'a'.repeat(300_000)}"`],
  ])('has nothing that moves, is empty or large: %s %s', async (method, params, result) => {
    expect(await reach(method, params, result, { isKept: false })).toBe(2);
    expect(await cache.findBytes(nameOf(method, params))).toBeUndefined();
  });

  it('is not believed where somebody else wrote', async () => {
    for (const [index, bytes] of [
      Buffer.from('x'),
      Buffer.alloc(9, 255),
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x66"}'),
    ].entries()) {
      const params = `["0x1${index}",false]`;
      await cache.setBytes(nameOf('eth_getBlockByNumber', params), bytes, 60);
      expect((await post(replicas[0]!, call('eth_getBlockByNumber', params))).text).toBe(
        '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
      );
    }
  });

  it('may end or hang in the middle, and no client notices', async () => {
    const ask = (gateway: Gateway, from: number) =>
      Promise.all(
        Array.from({ length: 25 }, (_, index) =>
          post(gateway, call('eth_getBalance', `["0x${from + index}","0x1"]`)),
        ),
      );
    const asked = [ask(replicas[0]!, 1_000), ask(replicas[1]!, 1_012)];
    await redis.kill9();
    asked.push(ask(replicas[0]!, 2_000), ask(replicas[1]!, 2_000));
    const replies = (await Promise.all(asked)).flat();
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"jsonrpc":"2.0","id":1,"result":"0x1"}']),
    );
    let questions = 0;
    const hanging = {
      ...createCache(undefined),
      isReady: true,
      findBytes: () => new Promise<undefined>(() => void (questions += 1)),
    };
    const patient = await world.open(
      { [ETHEREUM]: [nodes[0]!.url] },
      { cacheBytes: 10_000_000, cache: hanging, sharedCacheSeconds: 60 },
    );
    await allServe(patient);
    for (let index = 0; index < 20; index += 1)
      expect((await post(patient, call('eth_getBalance', `["0x${index}","0x1"]`))).status).toBe(200);
    // Not asked any more for a second, each time.
    expect(questions).toBeLessThan(20);
  });
});

describe('usage', () => {
  afterAll(() => world.stopGateways());
  it('is counted by key, chain and method, and added to the row of the hour', async () => {
    const gateway = await world.open({ [ETHEREUM]: [nodes[0]!.url] }, { cacheBytes: 1_000_000 });
    await allServe(gateway);
    const key = await world.makeKey(['rpc:evm:read']);
    const made = [
      call('eth_chainId'),
      call('eth_chainId'),
      call('made_up1'),
      call('made_up2'),
      `[${call('eth_estimateGas')},${call('eth_estimateGas', '[]', '2')}]`,
    ];
    for (const body of made) {
      await post(gateway, body, { key });
      await gateway.flushUsage();
    }
    const { rows } = await world.db.query(
      'SELECT method, sum(requests)::int AS requests, sum(cached)::int AS cached, sum(bytes_in)::int AS bytes_in FROM rpc_usage WHERE key_id = (SELECT id FROM api_keys WHERE key_hash = $1) GROUP BY method ORDER BY method',
      [Buffer.from(hashApiKey(key))],
    );
    expect(rows).toEqual([
      { method: 'eth_chainId', requests: 2, cached: 1, bytes_in: 2 * made[0]!.length },
      { method: 'eth_estimateGas', requests: 2, cached: 0, bytes_in: made[4]!.length },
      { method: 'other', requests: 2, cached: 0, bytes_in: made[2]!.length + made[3]!.length },
    ]);
  });

  it('has as failures what the gateway answered with an error, also for a call of a batch', async () => {
    const gateway = await world.open({ [ETHEREUM]: [nodes[0]!.url] });
    await allServe(gateway);
    const key = await world.makeKey(['rpc:evm:read', 'rpc:evm:send']);
    nodes[0]!.answer = (seen, res, req) => {
      if (seen.body.includes('eth_sendRawTransaction')) return void req.socket.destroy();
      if (seen.body.includes('eth_call'))
        return sendJson(res, { body: '{"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"reverted"}}' });
      answerResult('"0x1"')(seen, res, req);
    };
    const write = call('eth_sendRawTransaction', '["0x02"]', '3');
    const notification = write.replace('"id":3,', '');
    await post(gateway, `[${call('eth_chainId')},${call('eth_call', '[]', '2')},${write},${notification}]`, {
      key,
    });
    // Alone: as before.
    await post(gateway, write, { key });
    await gateway.flushUsage();
    const { rows } = await world.db.query(
      'SELECT method, sum(requests)::int AS requests, sum(failures)::int AS failures FROM rpc_usage WHERE key_id = (SELECT id FROM api_keys WHERE key_hash = $1) GROUP BY method ORDER BY method',
      [Buffer.from(hashApiKey(key))],
    );
    expect(rows).toEqual([
      { method: 'eth_call', requests: 1, failures: 0 },
      { method: 'eth_chainId', requests: 1, failures: 0 },
      { method: 'eth_sendRawTransaction', requests: 3, failures: 3 },
    ]);
  });

  it('has the time of each answered call, added to what replicas of the release before wrote', async () => {
    const gateway = await world.open({ [ETHEREUM]: [nodes[0]!.url] });
    await allServe(gateway);
    const key = await world.makeKey(['rpc:evm:read']);
    await world.db.query(
      `INSERT INTO rpc_usage (key_id, workspace_id, chain_gid, method, hour, requests, failures, cached, bytes_in, bytes_out)
       SELECT id, workspace_id, $2, 'eth_call', date_trunc('hour', now()), 7, 0, 0, 1, 1 FROM api_keys WHERE key_hash = $1`,
      [Buffer.from(hashApiKey(key)), ETHEREUM],
    );
    const read = async () => {
      await gateway.flushUsage();
      const { rows } = await world.db.query<{ method: string; requests: number; timed: number; ms: number }>(
        `SELECT method, sum(requests)::int AS requests, sum((SELECT sum(n) FROM unnest(latency_counts) AS n))::int AS timed, sum(latency_ms) AS ms
         FROM rpc_usage WHERE key_id = (SELECT id FROM api_keys WHERE key_hash = $1) GROUP BY method ORDER BY method`,
        [Buffer.from(hashApiKey(key))],
      );
      return rows;
    };
    expect(await read()).toEqual([{ method: 'eth_call', requests: 7, timed: null, ms: 0 }]);
    const batch = `[${call('eth_call')},${call('eth_call', '[]', '2')},${call('eth_chainId', '[]', '3')}]`;
    for (const body of [call('eth_call'), batch]) {
      await post(gateway, body, { key });
      await read();
    }
    expect(await read()).toEqual([
      { method: 'eth_call', requests: 10, timed: 3, ms: expect.any(Number) },
      { method: 'eth_chainId', requests: 1, timed: 1, ms: expect.any(Number) },
    ]);
    const before = await read();
    expect(before.every(({ ms }) => ms > 0)).toBe(true);

    // Nobody was told what came after the client had left.
    nodes[0]!.seen.length = 0;
    nodes[0]!.answer = () => undefined;
    const stop = new AbortController();
    const left = fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: call('eth_chainId'),
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      signal: stop.signal,
    }).catch(() => 'left');
    await waitFor(() => nodes[0]!.seen.length === 1);
    stop.abort();
    expect(await left).toBe('left');
    expect(await read()).toEqual([before[0], { ...before[1], requests: 2 }]);
  });
});
