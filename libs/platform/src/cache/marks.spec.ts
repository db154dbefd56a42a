// SPDX-License-Identifier: Apache-2.0
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { createCache, type Cache } from './index.ts';

let redis: RedisHandle;
let one: Cache;
let two: Cache;
beforeAll(async () => {
  redis = await startRedis();
  [one, two] = [createCache(redis.url), createCache(redis.url)];
  await waitFor(() => one.isReady && two.isReady);
});
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await redis.stop();
});

const ask = (cache: Cache, key: string, raise = {}, ttlSeconds = 10) =>
  cache.marks({ key, ttlSeconds, raise });

it('are the highest number of all replicas, and the last word of what has no number', async () => {
  expect(await ask(one, 'a')).toEqual(new Map());
  await ask(one, 'a', { head: { number: 100, value: 'x' }, write: { number: undefined, value: 'x' } });
  await ask(two, 'a', { head: { number: 99, value: 'y' }, write: { number: undefined, value: 'y' } });
  const marks = await ask(one, 'a');
  expect(marks!.get('head')).toMatchObject({ number: 100, value: 'x' });
  expect(marks!.get('write')).toMatchObject({ number: undefined, value: 'y' });
  await ask(two, 'a', { head: { number: 101, value: 'y' } });
  expect((await ask(one, 'a'))!.get('head')).toMatchObject({ number: 101, value: 'y' });
  expect(await ask(one, 'b')).toEqual(new Map());
});

it('end when their time is over, each by itself', async () => {
  await ask(one, 'c', { head: { number: 100, value: 'x' } }, 1);
  await waitFor(async () => {
    // Another name is kept young meanwhile.
    const marks = await ask(two, 'c', { other: { number: 1, value: 'y' } }, 1);
    return !marks!.has('head') && marks!.has('other');
  });
  await ask(two, 'c', { head: { number: 7, value: 'y' } }, 1);
  expect((await ask(one, 'c', {}, 1))!.get('head')).toMatchObject({ number: 7 });
});

it('are not known where Redis is away', async () => {
  expect(await ask(createCache(undefined), 'a', { head: { number: 1, value: 'x' } })).toBeUndefined();
});
