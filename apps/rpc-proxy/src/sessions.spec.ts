// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { startChainNode, type ChainNode } from './spec-chain.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

type Gateway = RpcProxy & { readonly url: string };

const NETWORKS = {
  ethereum: ['eip155:1', 1],
  local: ['eip155:31337', 31337],
  bitcoin: ['bip122:000000000019d6689c085ae165831e93', 1],
  solana: ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 1],
  tron: ['tron:0x2b6653dc', 0x2b6653dc],
} as const;
type Network = keyof typeof NETWORKS;

let world: SpecWorld;
let redis: RedisHandle;
let caches: Cache[];
let nodes: ChainNode[];
/** Two replicas on two stand-ins that never gossip. */
let replicas: Gateway[];
let key: string;
const readTime = performance.now.bind(performance);

beforeAll(async () => {
  [world, redis] = await Promise.all([startSpecWorld(), startRedis()]);
  // A slow Redis is not waited for; here it must be.
  caches = [0, 1].map(() => createCache(redis.url, { timeoutMs: 10_000 }));
  await waitFor(() => caches.every(({ isReady }) => isReady));
});
afterAll(async () => {
  await world.stop();
  await Promise.all(caches.map((cache) => cache.close()));
  await redis.stop();
  expect(world.failures).toEqual([]);
});
afterEach(async () => {
  performance.now = readTime;
  await Promise.all(replicas.map((replica) => replica.stop(0)));
  await Promise.all(nodes.map(({ node }) => node.stop()));
});

async function open(
  network: Network,
  options: { broadcast?: boolean; healthIntervalMs?: number; nodeCount?: number } = {},
): Promise<void> {
  const [gid, chainId] = NETWORKS[network];
  nodes = await Promise.all(Array.from({ length: options.nodeCount ?? 2 }, () => startChainNode(chainId)));
  const upstreams = nodes.map(({ node }, index) => ({
    url: node.url,
    weight: 1,
    headers: {},
    broadcast: options.broadcast === true && index === 1,
  }));
  replicas = await Promise.all(
    caches.map((cache) =>
      world.open(
        { [gid]: upstreams },
        { cache, cacheBytes: 10_000_000, healthIntervalMs: options.healthIntervalMs ?? 50 },
      ),
    ),
  );
  key = await world.makeKey([`rpc:${familyOf(network)}:read`, `rpc:${familyOf(network)}:send`]);
  await waitFor(() =>
    chainsOf(network).every((chain) => chain.upstreams.every((each) => chain.serves(each))),
  );
}

const familyOf = (network: Network): string =>
  network === 'ethereum' || network === 'local' ? 'evm' : network;
const chainsOf = (network: Network) =>
  replicas.flatMap(({ directory }) => {
    const chain = directory.find(network)!;
    return chain.paths === undefined ? [chain] : [chain, chain.paths];
  });

let asked = 0;

async function post(
  path: string,
  body: unknown,
): Promise<{ result?: unknown; error?: unknown; [name: string]: unknown }> {
  const response = await fetch(`${replicas[(asked += 1) % replicas.length]!.url}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  return (await response.json()) as Record<string, unknown>;
}

/** Asks the replicas in turn. */
async function call(network: Network, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { result, ...rest } = await post(network, { jsonrpc: '2.0', id: 1, method, params });
  return result === undefined ? rest : result;
}

describe('a key sees its own writes', () => {
  it('two workers of one wallet over two replicas use each nonce once, and find what they sent', async () => {
    await open('ethereum');
    const used: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      const nonce = Number(await call('ethereum', 'eth_getTransactionCount', ['0xa', 'pending']));
      used.push(nonce);
      const raw = `0x${(round + 1).toString(16).padStart(64, '0')}`;
      // A batch now and then.
      const [sent] =
        round % 5 === 4
          ? ((await post('ethereum', [
              { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] },
            ])) as unknown as { result: unknown }[])
          : [{ result: await call('ethereum', 'eth_sendRawTransaction', [raw]) }];
      expect(await call('ethereum', 'eth_getTransactionByHash', [sent!.result])).toMatchObject({ hash: raw });
    }
    expect(used).toEqual(Array.from({ length: 40 }, (_, nonce) => nonce));
  });

  it.each<readonly [Network, string, string, (hash: string) => readonly unknown[], unknown]>([
    ['bitcoin', 'sendrawtransaction', 'getmempoolentry', (hash) => [hash], { vsize: 1 }],
    ['solana', 'sendTransaction', 'getSignatureStatuses', (hash) => [[hash]], { value: [{}] }],
  ])('%s: what %s sent is found by %s', async (network, send, find, paramsOf, found) => {
    await open(network);
    for (let round = 1; round <= 20; round += 1) {
      const hash = String(await call(network, send, [round.toString(16).padStart(64, '0')]));
      expect(await call(network, find, paramsOf(hash))).toMatchObject(found as object);
    }
  });

  it('tron: what was broadcast over its paths is found over them', async () => {
    await open('tron');
    for (let round = 1; round <= 20; round += 1) {
      const raw = round.toString(16).padStart(64, '0');
      expect(await post('tron/wallet/broadcasthex', { raw })).toEqual({ result: true, txid: raw });
      expect(await post('tron/wallet/gettransactionbyid', { value: raw })).toEqual({ txID: raw });
    }
  });

  it('what a socket of one replica sent is found over HTTP of the other one', async () => {
    await open('ethereum');
    const socket = new WebSocket(`${replicas[0]!.url.replace('http', 'ws')}/ethereum?api-key=${key}`);
    await once(socket, 'open');
    replicas = [replicas[1]!, replicas[0]!];
    for (let round = 1; round <= 10; round += 1) {
      const raw = `0x${round.toString(16).padStart(64, '0')}`;
      const answered = once(socket, 'message');
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }));
      await answered;
      asked = replicas.length - 1;
      expect(await call('ethereum', 'eth_getTransactionByHash', [raw])).toMatchObject({ hash: raw });
    }
    socket.terminate();
  });

  it('asks elsewhere for a hash that the node which took it does not know any more', async () => {
    await open('ethereum');
    const raw = `0x${'7'.padStart(64, '0')}`;
    await call('ethereum', 'eth_sendRawTransaction', [raw]);
    const [took, other] = nodes[0]!.pool.length > 0 ? nodes : [nodes[1]!, nodes[0]!];
    other!.pool.push(...took!.pool.splice(0));
    expect(await call('ethereum', 'eth_getTransactionByHash', [raw])).toMatchObject({ hash: raw });
    // Nobody knows another one.
    expect(await call('ethereum', 'eth_getTransactionByHash', [`0x${'8'.repeat(64)}`])).toBeNull();
  });

  it('is answered by the other nodes where the one that took it died, which learn of it later', async () => {
    await open('ethereum');
    const raw = `0x${'6'.padStart(64, '0')}`;
    await call('ethereum', 'eth_sendRawTransaction', [raw]);
    const [took, other] = nodes[0]!.pool.length > 0 ? nodes : [nodes[1]!, nodes[0]!];
    nodes = [other!];
    await took!.node.stop();
    const read = (): Promise<unknown[]> =>
      Promise.all([
        call('ethereum', 'eth_getTransactionByHash', [raw]),
        call('ethereum', 'eth_getTransactionCount', ['0xa', 'pending']),
      ]);
    expect(await read()).toEqual([null, '0x0']);
    other!.pool.push(raw);
    expect(await read()).toEqual([{ hash: raw, blockNumber: null }, '0x1']);
  });

  it('is free again after 30 s', async () => {
    await open('ethereum');
    await call('ethereum', 'eth_sendRawTransaction', ['0x01']);
    for (const chain of chainsOf('ethereum'))
      for (const each of [key]) expect(chain.sessions.of(each)).toBeDefined();
    performance.now = () => readTime() + 31_000;
    await redis.restart();
    const counts = new Set<unknown>();
    for (let round = 0; round < 40; round += 1)
      counts.add(await call('ethereum', 'eth_getTransactionCount', ['0xa', 'pending']));
    expect([...counts].sort()).toEqual(['0x0', '0x1']);
  });

  it('sends to further nodes only where the operator marked them', async () => {
    await open('ethereum', { broadcast: true });
    for (let round = 1; round <= 10; round += 1)
      await call('ethereum', 'eth_sendRawTransaction', [`0x${round.toString(16).padStart(64, '0')}`]);
    await waitFor(() => nodes[1]!.pool.length === 10);
    expect(new Set(nodes[1]!.pool).size).toBe(10);
    const before = nodes.map(({ node }) => node.seen.length);
    await call('ethereum', 'eth_sendPrivateTransaction', [{ tx: '0x02' }]);
    await call('ethereum', 'eth_sendRawTransactionConditional', ['0x02', {}]);
    expect(nodes.reduce((sum, { node }, index) => sum + node.seen.length - before[index]!, 0)).toBe(2);
  });
});

describe('a key never sees a chain go backwards', () => {
  const tronBlock = (answer: unknown): number =>
    (answer as { block_header: { raw_data: { number: number } } }).block_header.raw_data.number;
  it.each<readonly [Network, string, readonly unknown[], (answer: never) => number]>([
    ['ethereum', 'eth_blockNumber', [], Number],
    ['ethereum', 'eth_getBlockByNumber', ['latest', false], ({ number }) => Number(number)],
    ['ethereum', 'eth_getBlockByNumber', ['safe', false], ({ number }) => Number(number)],
    ['ethereum', 'eth_getBlockByNumber', ['finalized', false], ({ number }) => Number(number)],
    ['ethereum', 'eth_getLogs', [{}], ({ 1: last }) => Number((last as { blockNumber: string }).blockNumber)],
    ['ethereum', 'eth_feeHistory', ['0x2', 'latest', []], ({ oldestBlock }) => Number(oldestBlock)],
    ['bitcoin', 'getblockcount', [], Number],
    ['bitcoin', 'getblockchaininfo', [], ({ blocks }) => Number(blocks)],
    ['solana', 'getSlot', [], Number],
    ['solana', 'getSlot', [{ commitment: 'confirmed' }], Number],
    ['solana', 'getSlot', [{ commitment: 'processed' }], Number],
    ['solana', 'getBlockHeight', [], Number],
    ['solana', 'getAccountInfo', ['a'], ({ context }) => (context as { slot: number }).slot],
    [
      'solana',
      'getAccountInfo',
      ['a', { commitment: 'processed' }],
      ({ context }) => (context as { slot: number }).slot,
    ],
    ['solana', 'simulateTransaction', ['a'], ({ context }) => (context as { slot: number }).slot],
    ['tron', 'wallet/getnowblock', [], tronBlock],
    ['tron', 'walletsolidity/getnowblock', [], tronBlock],
    ['tron', 'eth_blockNumber', [], Number],
  ])(
    '%s %s %j, over two replicas and two nodes of which one is ahead',
    async (network, method, params, numberOf) => {
      await open(network);
      const seen: number[] = [];
      for (let round = 0; round < 60; round += 1) {
        if (round % 6 === 0) nodes[(round / 6) % 2]!.head += 2;
        const answer = method.includes('/')
          ? await post(`${network}/${method}`, {})
          : await call(network, method, params);
        seen.push(numberOf(answer as never));
      }
      expect(seen).toEqual(seen.toSorted((one, other) => one - other));
      expect(seen.every((number) => number > 0)).toBe(true);
    },
  );

  it('waits for a node to reach what it has seen, and is answered then', async () => {
    await open('ethereum');
    nodes[0]!.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    await nodes[0]!.node.stop();
    const balance = call('ethereum', 'eth_getBalance', ['0xa', 'latest']);
    const send = call('ethereum', 'eth_sendRawTransaction', ['0x01']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(nodes[1]!.node.seen.filter(({ body }) => /Balance|send/.test(body))).toEqual([]);
    nodes[1]!.head = 105;
    expect([await balance, await send]).toEqual(['0x69', '0x01']);
  });

  it.each([
    ['eth_getBalance', ['0xa', 'latest']],
    ['eth_blockNumber', []],
  ])('waits alone: another workspace that asks %s meanwhile is answered at once', async (method, params) => {
    await open('ethereum');
    nodes[0]!.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    await nodes[0]!.node.stop();
    await waitFor(() => chainsOf('ethereum').every(({ headNumber }) => headNumber === 100));
    const [replica] = replicas as [Gateway];
    const [own, other] = [key, await world.makeKey(['rpc:evm:read'], 'rpc', await world.makeWorkspace())];
    const answered: string[] = [];
    const ask = (asking: string): Promise<unknown> => {
      key = asking;
      asked = replicas.length - 1;
      return call('ethereum', method, params).finally(() => answered.push(asking));
    };
    const first = ask(own);
    await waitFor(() => replica.directory.clock.size > 0);
    expect(await ask(other)).toBe('0x64');
    expect(answered).toEqual([other]);
    nodes[1]!.head = 105;
    expect(await first).toBe('0x69');
  });

  it('gets 502, never an older answer, where no node reaches it in time', async () => {
    await open('ethereum');
    nodes[0]!.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    await nodes[0]!.node.stop();
    const answers = Promise.all([
      call('ethereum', 'eth_getBalance', ['0xa', 'latest']),
      call('ethereum', 'eth_getBlockByNumber', ['latest', false]),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Another replica still reaches a node that is ahead.
    const { rows } = await world.db.query<{ id: string }>(
      'SELECT id FROM api_keys ORDER BY created_at DESC LIMIT 1',
    );
    for (const chain of chainsOf('ethereum')) {
      const session = chain.sessions.of(rows[0]!.id);
      expect(session.number).toBe(105);
      session.raise = () => undefined;
      Object.defineProperty(session, 'number', { value: 105 });
    }
    performance.now = () => readTime() + 30_500;
    // The call's own time may be up first.
    const error = expect.stringMatching(/^network unavailable(: no answer within 30 seconds)?$/);
    expect(await answers).toEqual([{ error }, { error }]);
  });

  it('is free to see any chain after 30 s', async () => {
    await open('ethereum');
    nodes[0]!.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    await nodes[0]!.node.stop();
    performance.now = () => readTime() + 31_000;
    await redis.restart();
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 100);
  });

  it.each([1, 2])('waits for %i node(s) that fell below their own word', async (nodeCount) => {
    await open('ethereum', { nodeCount });
    // What keys have seen of a single node is not shared.
    if (nodeCount === 1) await replicas.pop()!.stop(0);
    for (const each of nodes) each.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    for (const each of nodes) each.head = 104;
    await waitFor(() => chainsOf('ethereum').every(({ headNumber }) => headNumber === 104));
    const asked = (): number => nodes.reduce((sum, { node }) => sum + node.seen.length, 0);
    const before = asked();
    let answered = 0;
    const heads = [call('ethereum', 'eth_blockNumber'), call('ethereum', 'eth_blockNumber')];
    for (const head of heads) void head.then(() => (answered += 1));
    // Each was asked again at least.
    await waitFor(() => asked() >= before + 6);
    expect(answered).toBe(0);
    for (const each of nodes) each.head = 106;
    expect(await Promise.all(heads)).toEqual(['0x6a', '0x6a']);
  });

  it.each([1, 2])('is free where a local chain with %i node(s) starts afresh', async (nodeCount) => {
    await open('local', { nodeCount });
    for (const each of nodes) each.head = 105;
    await waitFor(async () => Number(await call('local', 'eth_blockNumber')) === 105);
    for (const each of nodes) each.head = 3;
    // What a replica has cached ends as soon as it hears of the lower head; nobody waits until the key's 30 s are over.
    await waitFor(() => chainsOf('local').every(({ headNumber }) => headNumber === 3));
    expect(await call('local', 'eth_blockNumber')).toBe('0x3');
    expect(await call('local', 'eth_blockNumber')).toBe('0x3');
  });

  it('asks elsewhere for a block that it has seen, where a node says that there is none', async () => {
    await open('ethereum', { healthIntervalMs: 60_000 });
    for (const each of nodes) each.head = 105;
    await waitFor(async () => Number(await call('ethereum', 'eth_blockNumber')) === 105);
    // One of them is several nodes behind one address.
    nodes[0]!.head = 100;
    for (let round = 0; round < 20; round += 1)
      expect(await call('ethereum', 'eth_getBlockByNumber', ['0x69', false])).toMatchObject({
        number: '0x69',
      });
  });
});

it('each replica knows its own where Redis is away', async () => {
  await open('ethereum');
  await redis.kill9();
  replicas = [replicas[0]!, replicas[0]!];
  for (let nonce = 0; nonce < 10; nonce += 1) {
    expect(Number(await call('ethereum', 'eth_getTransactionCount', ['0xa', 'pending']))).toBe(nonce);
    await call('ethereum', 'eth_sendRawTransaction', [`0x${nonce.toString(16).padStart(64, '0')}`]);
  }
  await redis.restart();
});
