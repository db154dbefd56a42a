// SPDX-License-Identifier: Apache-2.0
import { createBus } from '@chainwatch/data/bus';
import type { Bus } from '@chainwatch/data/bus';
import { createCache } from '@chainwatch/platform/cache';
import type { SpecWorld } from './spec-world.ts';
import { startApiGateway } from '../start-api-gateway.ts';
import type { ApiGateway, ApiGatewayOptions } from '../start-api-gateway.ts';

interface Sent {
  readonly key: string;
  readonly body?: object;
}

/** A gateway started as in main.ts, on a world's database and a real bus. */
export interface Replica {
  readonly gateway: ApiGateway;
  readonly bus: Bus<'api-gateway'>;
  call(method: 'GET' | 'POST' | 'DELETE', path: string, sent: Sent): Promise<Response>;
  stop(): Promise<void>;
}

export async function startReplica(
  world: SpecWorld,
  natsUrl: string,
  options: Partial<Pick<ApiGatewayOptions, 'keyLifetimeMs' | 'cache' | 'standby'>> = {},
): Promise<Replica> {
  const bus = await createBus('api-gateway', { url: natsUrl, isValidating: true });
  const gateway = await startApiGateway({
    deps: world.deps,
    bus,
    cache: createCache(undefined),
    limits: world.limits,
    docsUrl: 'https://docs.example.com',
    apiHost: 'https://api.example.com',
    trustedProxies: 0,
    corsOrigins: [],
    requestTimeoutMs: 60_000,
    logger: { error: () => undefined, debug: () => undefined },
    port: 0,
    host: '127.0.0.1',
    ...options,
  });
  return {
    gateway,
    bus,
    call: (method, path, { key, body }) =>
      fetch(`http://127.0.0.1:${gateway.port}/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      }),
    async stop() {
      await gateway.stop();
      await bus.close();
    },
  };
}

/** Makes a key that every replica knows and accepts. */
export async function addKnownKey(
  world: SpecWorld,
  replicas: readonly Replica[],
): Promise<{ id: string; key: string }> {
  const answer = await replicas[0]!.call('POST', '/management/keys', {
    key: world.project.keys.management,
    body: { type: 'rpc', name: 'known', permissions: ['rpc:evm:read'] },
  });
  const { id, key } = (await answer.json()) as { id: string; key: string };
  for (const replica of replicas) await expectStatus(replica.call('GET', '/version', { key }), 200);
  return { id, key };
}

/**
 * Revokes a key at the first replica while all replicas are asked with it continuously.
 * @returns milliseconds from the request until each replica refused the key
 */
export async function measureRevocation(
  world: SpecWorld,
  replicas: readonly Replica[],
  timeoutMs: number,
): Promise<number[]> {
  const { id, key } = await addKnownKey(world, replicas);
  const startedAt = performance.now();
  const refused = replicas.map(async (replica) => {
    for (;;) {
      const { status } = await replica.call('GET', '/version', { key });
      const elapsedMs = performance.now() - startedAt;
      if (status === 401) return elapsedMs;
      if (elapsedMs > timeoutMs)
        throw new Error(`expected 401 within ${timeoutMs} ms of the revocation, got ${status}`);
    }
  });
  const [, ...times] = await Promise.all([
    expectStatus(
      replicas[0]!.call('DELETE', `/management/keys/${id}`, { key: world.project.keys.management }),
      204,
    ),
    ...refused,
  ]);
  return times;
}

async function expectStatus(answer: Promise<Response>, status: number): Promise<void> {
  const got = await answer;
  if (got.status !== status) throw new Error(`expected ${status}, got ${got.status} ${await got.text()}`);
}
