// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  readMetrics,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  waitFor,
  type RedisCluster,
  type RedisSentinel,
} from '@chainwatch/testing';
import { startTelemetry } from '../telemetry/index.ts';
import { createCache, type Cache } from './index.ts';

const open: Cache[] = [];
afterEach(() => Promise.all(open.splice(0).map((cache) => cache.close())));

/** Replicas of one service, each of which knows of all. */
async function startReplicas(url: string, count: number, timeoutMs = 250): Promise<Cache[]> {
  const caches = Array.from({ length: count }, () => createCache(url, { name: 'spec', timeoutMs }));
  open.push(...caches);
  await waitFor(() => caches.every((cache) => cache.isReady));
  return caches;
}

const requestOf = (index: number) => ({ key: `key-${index}`, limit: 10, windowSeconds: 3_600 });

/** Keys of every shard; each request goes to one replica after the other. */
async function countAllowed(caches: readonly Cache[], key: number, requests: number): Promise<number> {
  let allowed = 0;
  for (let index = 0; index < requests; index += 1)
    if ((await caches[index % caches.length]!.consumeToken(requestOf(key))).allowed) allowed += 1;
  return allowed;
}

describe('a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => (cluster = await startRedisCluster()), 60_000);
  afterAll(() => cluster.stop());

  it('counts and stores on every shard as one server does', async () => {
    const caches = await startReplicas(cluster.url, 2);
    for (let key = 0; key < 30; key += 1) {
      expect(await countAllowed(caches, key, 14)).toBe(10);
      expect(await caches[0]!.setBytes(`bytes-${key}`, Buffer.from([key]), 60)).toBe(true);
      expect(await caches[1]!.findBytes(`bytes-${key}`)).toEqual(Buffer.from([key]));
    }
    // At the same time, over all shards: one round trip each.
    const all = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        caches[index % 2]!.consumeToken(requestOf(100 + (index % 20))),
      ),
    );
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(200);
    const slot = { ttlSeconds: 60, limit: 3 };
    for (let key = 0; key < 10; key += 1) {
      const held = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          caches[index % 2]!.holdSlot({ ...slot, key: `k${key}`, holder: `${index}` }),
        ),
      );
      expect(held.filter(Boolean)).toHaveLength(3);
      await caches[0]!.freeSlot({ key: `k${key}`, holder: `${held.indexOf(true)}` });
      expect(await caches[1]!.holdSlot({ ...slot, key: `k${key}`, holder: 'next' })).toBe(true);
    }
  });

  it('of which a shard dies lets no more through than the limit, and counts together again when it is back', async () => {
    const caches = await startReplicas(cluster.url, 2);
    // Each of the two learns of the other.
    await waitFor(() => caches.every((cache) => cache.health()?.ok === true));
    await delay(6_000);
    await cluster.servers[0]!.kill9();
    for (let key = 200; key < 212; key += 1)
      expect(await countAllowed(caches, key, 20)).toBeLessThanOrEqual(10);
    await waitFor(() => JSON.stringify(caches[0]!.health()).includes('1/2 of each limit'), {
      timeoutMs: 10_000,
      message: () => JSON.stringify(caches[0]!.health()),
    });
    await cluster.servers[0]!.restart();
    let key = 300;
    // By one replica alone: its share would be 5.
    const isExact = async (): Promise<boolean> => {
      const counts = [];
      for (let count = 0; count < 12; count += 1)
        counts.push(await countAllowed([caches[count % 2]!], (key += 1), 20));
      return counts.every((count) => count === 10);
    };
    await waitFor(isExact, { timeoutMs: 30_000 });
    expect(caches.map((cache) => cache.health())).toEqual([{ ok: true }, { ok: true }]);
  }, 60_000);
});

describe('sentinels', () => {
  let sentinel: RedisSentinel;
  beforeAll(async () => (sentinel = await startRedisSentinel()), 60_000);
  afterAll(() => sentinel.stop());

  it('lead to the new master after a failover, with what was counted', async () => {
    const caches = await startReplicas(sentinel.url, 2);
    expect(await countAllowed(caches, 0, 14)).toBe(10);
    const slot = { key: 'k', limit: 2, ttlSeconds: 60 };
    expect(await caches[0]!.holdSlot({ ...slot, holder: 'a' })).toBe(true);
    expect(await caches[1]!.holdSlot({ ...slot, holder: 'b' })).toBe(true);
    await caches[0]!.setBytes('bytes', Buffer.from('b'), 60);
    await delay(500);
    await sentinel.master.kill9();
    await waitFor(async () => (await sentinel.findMasterPort()) === sentinel.replica.port, {
      timeoutMs: 20_000,
    });
    await waitFor(() => caches[0]!.setBytes('after', Buffer.from('c'), 60), { timeoutMs: 20_000 });
    await waitFor(async () => (await caches[1]!.findBytes('after')) !== undefined, { timeoutMs: 20_000 });
    // A client that found the new master early is sent there once more.
    await delay(3_000);
    await waitFor(() => caches.every((cache) => cache.isReady));
    expect(await caches[0]!.findBytes('bytes')).toEqual(Buffer.from('b'));
    expect(await countAllowed(caches, 0, 4)).toBe(0);
    expect(await caches[1]!.holdSlot({ ...slot, holder: 'c' })).toBe(false);
  }, 90_000);
});

describe('Redis away', () => {
  it('leaves each replica its share of a limit and of slots, and says so', async () => {
    const telemetry = await startTelemetry({ serviceName: 'spec' });
    const readShare = async (): Promise<number | undefined> =>
      (await readMetrics(telemetry.handleMetrics)).get('chainwatch_limit_share');
    const redis = await startRedis();
    const warnings: unknown[] = [];
    const caches = Array.from({ length: 3 }, () =>
      createCache(redis.url, {
        name: 'spec',
        logger: { info: () => undefined, warn: (fields) => warnings.push(fields) },
      }),
    );
    open.push(...caches);
    await waitFor(() => caches.every((cache) => cache.isReady));
    expect([await readShare(), caches[0]!.health()]).toEqual([1, { ok: true }]);
    // Everybody has heard of everybody.
    await delay(6_000);
    const slot = { key: 'k', limit: 6, ttlSeconds: 60 };
    const hold = async (holders: number): Promise<number> => {
      let held = 0;
      for (let index = 0; index < holders; index += 1)
        if (await caches[index % 3]!.holdSlot({ ...slot, holder: `${holders}-${index}` })) held += 1;
      return held;
    };
    expect(await hold(2)).toBe(2);
    await redis.kill9();
    await waitFor(() => caches.every((cache) => !cache.isReady));
    await waitFor(() => warnings.length === 3);
    // 10 / 3, rounded down, each.
    expect(await countAllowed(caches, 0, 30)).toBe(9);
    // Two more for each, less the two that are held.
    expect(await hold(9)).toBe(4);
    expect(await readShare()).toBeCloseTo(1 / 3);
    expect(caches[0]!.health()).toMatchObject({
      ok: true,
      status: 'degraded',
      reason: expect.stringContaining('1/3 of each limit') as string,
    });
    expect(warnings).toEqual([0, 1, 2].map(() => expect.objectContaining({ replicas: 3 }) as unknown));
    // Redis comes back empty, and no slot is given twice.
    await redis.restart();
    await waitFor(() => caches.every((cache) => cache.isReady));
    expect(await hold(12)).toBe(0);
    await telemetry.stop();
    await redis.stop();
  }, 60_000);

  it('from the start counts on the replicas that are configured', async () => {
    const cache = createCache('redis://127.0.0.1:1', { replicas: 5 });
    open.push(cache);
    expect(await countAllowed([cache], 0, 10)).toBe(2);
  });
});

it('a slot waits for a Redis that answers late, instead of being given twice', async () => {
  const redis = await startRedis();
  const caches = await startReplicas(redis.url, 2, 100);
  const slot = { key: 'k', limit: 4, ttlSeconds: 60 };
  for (const holder of ['a', 'b', 'c', 'd'])
    expect(await caches[holder === 'a' ? 0 : 1]!.holdSlot({ ...slot, holder })).toBe(true);
  const other = new Redis(redis.url);
  await other.client('PAUSE', 250, 'ALL');
  expect(await Promise.all(caches.map((cache) => cache.holdSlot({ ...slot, holder: 'late' })))).toEqual([
    false,
    false,
  ]);
  other.disconnect();
  await redis.stop();
});
