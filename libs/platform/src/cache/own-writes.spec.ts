// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { createCache, type Cache } from './index.ts';

const TTL_SECONDS = 1;
const open: Cache[] = [];
let redis: RedisHandle;
let one: Cache;
let two: Cache;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  open.push((one = createCache(redis.url)), (two = createCache(redis.url)));
  await waitFor(() => open.every(({ isReady }) => isReady));
});
afterEach(async () => {
  for (const cache of open.splice(0)) await cache.close();
});
afterAll(() => redis.stop());

const note = (cache: Cache, caller: string) => cache.noteWrite({ caller, ttlSeconds: TTL_SECONDS });
const mayHaveWritten = (cache: Cache, caller: string) =>
  cache.mayHaveWritten({ caller, ttlSeconds: TTL_SECONDS });
const isTrusted = (cache: Cache) => waitFor(async () => !(await mayHaveWritten(cache, 'nobody')));

it('are known to every replica for their time, and are those of one caller', async () => {
  await Promise.all([isTrusted(one), isTrusted(two)]);
  expect(await note(one, 'a')).toBe(true);
  expect([await mayHaveWritten(one, 'a'), await mayHaveWritten(two, 'a')]).toEqual([true, true]);
  expect([await mayHaveWritten(one, 'b'), await mayHaveWritten(two, 'b')]).toEqual([false, false]);
  await waitFor(async () => !(await mayHaveWritten(two, 'a')));
  expect(await mayHaveWritten(one, 'a')).toBe(false);
});

it('may be anybody’s for as long as a Redis that comes back may lack them', async () => {
  await Promise.all([isTrusted(one), isTrusted(two)]);
  await note(one, 'a');
  // It comes back empty.
  await redis.restart();
  await waitFor(() => two.isReady);
  const backAtMs = performance.now();
  expect(await mayHaveWritten(two, 'a')).toBe(true);
  await isTrusted(two);
  expect(performance.now() - backAtMs).toBeGreaterThan(TTL_SECONDS * 900);
});

it('that Redis does not take are known here alone, and everybody is asked to be careful', async () => {
  await Promise.all([isTrusted(one), isTrusted(two)]);
  await redis.kill9();
  await waitFor(() => !one.isReady && !two.isReady);
  expect(await note(one, 'a')).toBe(false);
  expect([await mayHaveWritten(one, 'a'), await mayHaveWritten(two, 'b')]).toEqual([true, true]);
  await redis.restart();
});

it('of a Redis that hangs hold nobody up', async () => {
  await Promise.all([isTrusted(one), isTrusted(two)]);
  const other = new Redis(redis.url);
  await other.client('PAUSE', 600_000, 'ALL');
  const beganAtMs = performance.now();
  const notes: boolean[] = [];
  for (let count = 0; count < 500; count += 1) notes.push(await note(one, `c${count}`));
  expect(new Set(notes)).toEqual(new Set([false]));
  // Each of them would wait its 250 ms, minutes in all.
  expect(performance.now() - beganAtMs).toBeLessThan(30_000);
  expect(await mayHaveWritten(two, 'c1')).toBe(true);
  other.disconnect();
  await redis.restart();
});

it('without a Redis are those of this process', async () => {
  const alone = createCache(undefined);
  open.push(alone);
  expect(await mayHaveWritten(alone, 'a')).toBe(false);
  expect(await note(alone, 'a')).toBe(true);
  expect([await mayHaveWritten(alone, 'a'), await mayHaveWritten(alone, 'b')]).toEqual([true, false]);
  await delay(TTL_SECONDS * 1_000 + 50);
  expect(await mayHaveWritten(alone, 'a')).toBe(false);
});
