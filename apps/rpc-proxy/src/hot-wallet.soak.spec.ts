import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createCache, type Cache } from '@chainwatch/cache';
import { startAnvil, startRedis, waitFor, type AnvilHandle, type RedisHandle } from '@chainwatch/testing';
import { keccak256, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy } from './start-rpc-proxy.ts';

const SENDS = 2_000;
/** The first account of anvil. */
const WALLET = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const BOB = '0x00000000000000000000000000000000000000b0';

let seed = Number(process.env.SPEC_SEED ?? 7);
/** The same faults each time. */
const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A stand-in for a bad second node: the same chain behind a proxy that delays, omits, lags, answers garbage, and dies. */
class BadNode {
  readonly #chain: string;
  readonly #server: Server;
  /** What it said of each question before. */
  readonly #said = new Map<string, string>();
  /** Old answers are told only while replicas know from each other what a key has seen. */
  lags = true;
  isHonest = true;
  oldAnswers = 0;
  url = '';

  constructor(chain: string) {
    this.#chain = chain;
    this.#server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nobody listens there for a moment. */
  async die(): Promise<void> {
    if (!this.#server.listening) return;
    const { port } = new URL(this.url);
    this.#server.close();
    this.#server.closeAllConnections();
    await wait(300);
    this.#server.listen(Number(port), '127.0.0.1');
    await once(this.#server, 'listening');
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const fault = this.isHonest ? 99 : next(100);
    if (fault < 2) return void res.destroy();
    if (fault < 4) return void res.end(next(2) === 0 ? '' : '<html>busy</html>');
    if (fault < 10 && fault > 6) await wait(next(200));
    const response = await fetch(this.#chain, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const answer = await response.text();
    const question = body.replace(/"id":[^,}]+/, '');
    const before = this.#said.get(question);
    if (!body.includes('eth_send')) this.#said.set(question, answer);
    // It took what it was sent, and its answer is lost.
    if (fault === 4) return void res.destroy();
    if (fault === 5) return void res.end(answer.slice(0, answer.length >> 1));
    const id = /"id":[^,}]+/.exec(body)?.[0] ?? '';
    res.setHeader('content-type', 'application/json');
    if (!this.lags || fault >= 50 || before === undefined) return void res.end(answer);
    this.oldAnswers += 1;
    res.end(before.replace(/"id":[^,}]+/, id));
  }
}

let world: SpecWorld;
let redis: RedisHandle;
let caches: Cache[];
let anvil: AnvilHandle;
let bad: BadNode;
let replicas: (RpcProxy & { readonly url: string })[];
let key: string;

beforeAll(async () => {
  [world, redis, anvil] = await Promise.all([
    startSpecWorld(),
    startRedis(),
    startAnvil({ args: ['--block-time', '1', '--chain-id', '1', '--gas-price', '1000000000'] }),
  ]);
  caches = [0, 1].map(() => createCache(redis.url, { name: 'rpc-proxy' }));
  await waitFor(() => caches.every(({ isReady }) => isReady));
  bad = new BadNode(anvil.url);
  await bad.open();
  replicas = await Promise.all(
    caches.map((cache) =>
      world.open(
        { 'eip155:1': [anvil.url, bad.url] },
        { cache, cacheBytes: 10_000_000, healthIntervalMs: 50 },
      ),
    ),
  );
  key = await world.makeKey(['rpc:evm:read', 'rpc:evm:send']);
  await waitFor(() =>
    replicas.every(({ directory }) => {
      const chain = directory.find('eip155:1')!;
      return chain.upstreams.every((upstream) => chain.serves(upstream));
    }),
  );
});
afterAll(async () => {
  await world.stop();
  bad.stop();
  await Promise.all([...caches.map((cache) => cache.close()), redis.stop(), anvil.stop()]);
  expect(world.failures).toEqual([]);
});

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

async function call(worker: number, method: string, params: readonly unknown[]): Promise<Answer> {
  const response = await fetch(`${replicas[worker]!.url}/eip155:1`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  return (await response.json()) as Answer;
}

it(`two workers of a wallet send ${SENDS} times over two replicas, one good and one bad node, and Redis dies in between`, async () => {
  bad.isHonest = false;
  const mined = new Map<Hex, number>();
  const failed: { readonly hash: Hex; readonly error: unknown }[] = [];
  const heights = [-1];
  const falls: unknown[] = [];
  let redisEnds: Promise<void> | undefined;
  for (let round = 0; mined.size < SENDS; round += 1) {
    expect(round).toBeLessThan(SENDS * 2);
    // They take turns, each at its own replica.
    const worker = round % 2;
    if (round % 50 === 49) void bad.die();
    if (mined.size === SENDS >> 1)
      redisEnds ??= (async () => {
        bad.lags = false;
        await redis.kill9();
        await wait(1_500);
        await redis.restart();
        await waitFor(() => caches.every(({ isReady }) => isReady));
        // It came back empty: each replica says once a second what it knows.
        await wait(2_500);
        bad.lags = true;
      })();
    const height = Number((await call(worker, 'eth_blockNumber', [])).result);
    if (!Number.isNaN(height)) {
      if (bad.lags && height < heights.at(-1)!) falls.push([round, heights.at(-1), height]);
      heights.push(height);
    }
    const { result } = await call(worker, 'eth_getTransactionCount', [WALLET.address, 'pending']);
    // No answer is no nonce: it asks again.
    if (typeof result !== 'string') continue;
    const nonce = Number(result);
    const raw = await WALLET.signTransaction({
      ...{ chainId: 1, type: 'eip1559', to: BOB, value: BigInt(round + 1), gas: 21_000n, nonce },
      ...{ maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    });
    const sent = await call(worker, 'eth_sendRawTransaction', [raw]);
    const hash = keccak256(raw);
    if (sent.result === undefined) failed.push({ hash, error: sent.error });
    else {
      expect(sent.result).toBe(hash);
      mined.set(hash, nonce);
    }
  }
  await redisEnds;
  bad.isHonest = true;
  await anvil.mine(2);
  // Each nonce once, and nothing between them is missing.
  expect([...mined.values()]).toEqual(Array.from({ length: SENDS }, (_, nonce) => nonce));
  const receipts = await Promise.all(
    [...mined.keys()].map((hash) =>
      anvil.rpc<{ status: string } | null>('eth_getTransactionReceipt', [hash]),
    ),
  );
  expect(receipts.filter((receipt) => receipt?.status !== '0x1')).toEqual([]);
  // Nothing was told as failed that was mined.
  for (const { hash, error } of failed)
    expect([error, await anvil.rpc('eth_getTransactionByHash', [hash])]).toEqual([error, null]);
  expect(falls).toEqual([]);
  expect(bad.oldAnswers).toBeGreaterThan(10);
});
