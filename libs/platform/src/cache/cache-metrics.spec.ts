// SPDX-License-Identifier: Apache-2.0
import { startTelemetry } from '../telemetry/index.ts';
import { readMetrics, startRedis, waitFor } from '@chainwatch/testing';
import { createCache } from './index.ts';

it('tells of Redis: whether it is there, what it took, what it did not answer', async () => {
  const telemetry = await startTelemetry({ serviceName: 'spec' });
  const read = async (name: string): Promise<number | undefined> =>
    (await readMetrics(telemetry.handleMetrics)).get(`chainwatch_redis_${name}`);
  /** Other specs of this process count, too. */
  const counts = ['command_seconds_count', 'failures_total', 'reconnects_total'];
  const before = new Map<string, number>();
  for (const name of counts) before.set(name, (await read(name)) ?? 0);
  const countOf = async (name: string): Promise<number> => ((await read(name)) ?? 0) - before.get(name)!;
  // Where there is none, nothing is said of it.
  const told = await read('connected');
  await createCache(undefined).findBytes('a');
  expect(await read('connected')).toBe(told);
  const redis = await startRedis();
  const cache = createCache(redis.url);
  await waitFor(() => cache.isReady);
  expect(await read('connected')).toBe(1);
  await cache.setBytes('a', Buffer.from('b'), 10);
  await cache.findBytes('a');
  expect(await countOf('command_seconds_count')).toBe(2);
  // A value that Redis refuses to count with.
  await cache.setBytes('slots:a', Buffer.from('b'), 10);
  await cache.holdSlot({ key: 'a', holder: 'b', limit: 1, ttlSeconds: 10 });
  expect(await countOf('failures_total')).toBe(1);
  await redis.kill9();
  await waitFor(async () => (await read('connected')) === 0);
  await redis.restart();
  await waitFor(async () => (await read('connected')) === 1);
  expect(await countOf('reconnects_total')).toBe(1);
  await cache.close();
  expect(await read('connected')).toBe(told);
  await redis.stop();
  await telemetry.stop();
});
