// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { createCache } from '@chainwatch/platform/cache';
import { recordRequests } from '@chainwatch/platform/http';
import { startTelemetry, type Telemetry } from '@chainwatch/platform/telemetry';
import { startNats, startRedis, type NatsHandle, type RedisHandle } from '@chainwatch/testing';
import { routeTable } from '../route-table.ts';
import { startReplica, type Replica } from '../spec-support/replicas.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const SERIES_MAX = 1_200;

describe('what Prometheus stores of one gateway', () => {
  let telemetry: Telemetry;
  let world: SpecWorld;
  let nats: NatsHandle;
  let redis: RedisHandle;
  let replica: Replica;
  beforeAll(async () => {
    telemetry = await startTelemetry({ serviceName: 'api-gateway' });
    [world, nats, redis] = await Promise.all([startSpecWorld(), startNats(), startRedis()]);
    replica = await startReplica(world, nats.url, { cache: createCache(redis.url) });
  });
  afterAll(async () => {
    await replica.stop();
    await Promise.all([nats.stop(), redis.stop(), world.stop()]);
    await telemetry.stop();
  });

  const call = async (method: string, path: string, key?: string): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${replica.gateway.port}${path}`, {
      method,
      headers: { connection: 'close', ...(key !== undefined && { 'x-api-key': key }) },
      signal: AbortSignal.timeout(10_000),
    });
    // A stream of events does not end.
    await response.body?.cancel();
  };

  it('is at most 1,200 series after each route answered with each class of status', async () => {
    const { api, management } = world.project.keys;
    for (const { method, path } of routeTable) {
      const asked = `/v1${path.replaceAll(/:\w+/g, 'none')}`;
      await call(method, asked);
      await call(method, asked, path.startsWith('/management') ? management : api);
      for (const status of [200, 304, 404, 422, 500, 503]) record({ method, path, status });
    }
    await call('GET', '/docs/');
    await call('GET', '/nothing');
    const series = await readSeries();
    const ofRequests = series.filter((line) => line.startsWith('chainwatch_http_requests_total{'));
    const routes = new Set(routeTable.map(({ method, path }) => `${method} ${path}`));
    // Each of them counts: 2xx, 3xx, 4xx and 5xx.
    expect(ofRequests.length).toBeGreaterThanOrEqual(routes.size * 4);
    expect(series.length).toBeGreaterThan(ofRequests.length);
    expect(series.length).toBeLessThanOrEqual(SERIES_MAX);
  });

  it('does not grow by what clients think of', async () => {
    for (const { path } of routeTable) record({ method: 'HEAD', path, status: 200 });
    record({ method: 'MKCOL', path: undefined, status: 404 });
    const before = (await readSeries()).length;
    for (const { path } of routeTable)
      for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PURGE', 'PROPFIND'])
        record({ method, path, status: 405 });
    for (const method of ['PURGE', 'LINK', 'TRACE']) record({ method, path: undefined, status: 404 });
    // One for each known method of no route, with its time.
    expect((await readSeries()).length - before).toBeLessThanOrEqual(2 * 4);
  });

  async function readSeries(): Promise<string[]> {
    const text = await new Promise<string>((resolve) => {
      const res = { writeHead: () => res, end: resolve };
      telemetry.handleMetrics({} as IncomingMessage, res as unknown as ServerResponse);
    });
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }
});

/** As if a route had answered so. */
function record({
  method,
  path,
  status,
}: {
  method: string;
  path: string | undefined;
  status: number;
}): void {
  const res = Object.assign(new EventEmitter(), {
    locals: {},
    statusCode: status,
    setHeader: () => undefined,
  });
  const req = {
    method,
    originalUrl: '/v1',
    get: () => undefined,
    ...(path !== undefined && { route: { path } }),
  };
  recordRequests({ debug: () => undefined })(
    req as unknown as Request,
    res as unknown as Response,
    () => undefined,
  );
  res.emit('close');
}
