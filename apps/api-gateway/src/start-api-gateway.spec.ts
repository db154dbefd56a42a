// SPDX-License-Identifier: Apache-2.0
import { createBus } from '@chainwatch/data/bus';
import { createCache } from '@chainwatch/platform/cache';
import type { Cache } from '@chainwatch/platform/cache';
import type { Checks } from '@chainwatch/platform/telemetry';
import { startNats, startRedis, startTcpProxy, waitFor } from '@chainwatch/testing';
import type { NatsHandle, RedisHandle, TcpProxy } from '@chainwatch/testing';
import { addKnownKey, measureRevocation, startReplica } from './spec-support/replicas.ts';
import type { Replica } from './spec-support/replicas.ts';
import { startSpecWorld } from './spec-support/spec-world.ts';
import type { SpecWorld } from './spec-support/spec-world.ts';

const revocations = Number(process.env.REVOCATION_RUNS ?? 10);
/** So long that nothing but a message makes a replica forget a key. */
const keyLifetimeMs = 3_600_000;

/** Told, and still ready. */
function isDegraded({ nats }: Checks): boolean {
  expect(nats!.ok).toBe(true);
  return 'status' in nats! && nats.status === 'degraded';
}

describe('three gateways on a real bus', () => {
  let world: SpecWorld;
  let nats: NatsHandle;
  let proxy: TcpProxy;
  let redis: RedisHandle;
  let caches: Cache[];
  let replicas: Replica[];
  let last: Replica;
  beforeAll(async () => {
    [world, nats, redis] = await Promise.all([startSpecWorld(), startNats(), startRedis()]);
    proxy = await startTcpProxy(nats.port);
    const options = [
      { url: nats.url, keyLifetimeMs },
      { url: nats.url, keyLifetimeMs },
      { url: `nats://127.0.0.1:${proxy.port}`, keyLifetimeMs: 2_000 },
    ];
    caches = options.map(() => createCache(redis.url));
    replicas = await Promise.all(
      options.map(({ url, ...rest }, index) => startReplica(world, url, { ...rest, cache: caches[index]! })),
    );
    last = replicas[2]!;
  });
  afterAll(async () => {
    await Promise.all([
      ...replicas.map((replica) => replica.stop()),
      ...caches.map((cache) => cache.close()),
    ]);
    await proxy.stop();
    await Promise.all([nats.stop(), redis.stop(), world.stop()]);
  });

  it('are ready', async () => {
    for (const { gateway } of replicas)
      expect(await gateway.readiness()).toEqual({
        postgres: { ok: true },
        nats: { ok: true },
        redis: { ok: true },
      });
  });

  it('tell the limits even to what never became a request', async () => {
    const response = await fetch(`http://127.0.0.1:${last.gateway.port}/v1/version`, {
      headers: { 'X-Long': 'a'.repeat(20_000) },
    });
    expect([
      response.status,
      ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map(
        (name) => Number(response.headers.get(name)) > 0,
      ),
    ]).toEqual([431, true, true, true]);
  });

  it('tell the analyzer about a new address', async () => {
    const analyzer = await createBus('tx-analyzer', { url: nats.url });
    const seen: unknown[] = [];
    const stop = analyzer.subscribe('address.watched', ['evm'], ({ payload }) => void seen.push(payload));
    try {
      const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
      const response = await last.call('POST', '/addresses/external', {
        key: world.project.keys.api,
        body: { value, chain_family: 'evm' },
      });
      const { id } = (await response.json()) as { id: string };
      await waitFor(() => seen.length > 0);
      expect(seen).toEqual([
        {
          schema: 1,
          address_id: id,
          project_id: world.project.projectId,
          address: value,
          is_monitored: true,
        },
      ]);
    } finally {
      stop();
      await analyzer.close();
    }
  });

  // The bench measures how fast; this checks that every replica hears of it.
  it(`forget a revoked key, each of ${revocations} times`, async () => {
    for (let run = 0; run < revocations; run += 1)
      expect(await measureRevocation(world, replicas.slice(0, 2), 60_000)).toHaveLength(2);
  });

  it('end a rolled key when its grace is over', async () => {
    const { id, key } = await addKnownKey(world, replicas.slice(0, 2));
    const rolled = await replicas[0]!.call('POST', `/management/keys/${id}/actions/roll`, {
      key: world.project.keys.management,
      body: { grace_seconds: 1 },
    });
    const { key: successor } = (await rolled.json()) as { key: string };
    for (const replica of replicas.slice(0, 2)) {
      await waitFor(async () => (await replica.call('GET', '/version', { key })).status === 401, {
        timeoutMs: 60_000,
      });
      expect((await replica.call('GET', '/version', { key: successor })).status).toBe(200);
    }
  });

  it('count the requests of a key together', async () => {
    world.limits.perKey.rpc = 5;
    try {
      const { key } = await addKnownKey(world, replicas);
      const answers = [];
      for (let call = 0; call < 4; call += 1)
        answers.push(await replicas[call % 3]!.call('GET', '/version', { key }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
        '1',
        '0',
        '0',
        '0',
      ]);
    } finally {
      world.limits.perKey.rpc = 1_000_000;
    }
  });

  it('that hear nothing any more forget a revoked key by themselves; the others at once', async () => {
    proxy.cut();
    try {
      await waitFor(async () => isDegraded(await last.gateway.readiness()));
      await measureRevocation(world, replicas, 60_000);
    } finally {
      proxy.mend();
    }
    await waitFor(async () => !isDegraded(await last.gateway.readiness()), { timeoutMs: 60_000 });
  });

  it('answer while the bus and Redis are away', async () => {
    await Promise.all([nats.stop(), redis.stop()]);
    const response = await last.call('POST', '/addresses/external', {
      key: world.project.keys.api,
      body: { value: '0x00000000219ab540356cbb839cbe05303d7705fa', chain_family: 'evm' },
    });
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([201, '999999']);
    await waitFor(async () => isDegraded(await last.gateway.readiness()));
    expect((await last.gateway.readiness()).postgres).toEqual({ ok: true });
  });
});
