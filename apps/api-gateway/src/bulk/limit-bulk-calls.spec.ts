import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { createCache, type Cache } from '@chainwatch/cache';
import type { Principal } from '@chainwatch/key-store';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { limitBulkCalls } from './limit-bulk-calls.ts';

/** A replica whose bulk calls last until they are released, or their client goes. */
interface Replica {
  readonly cache: Cache;
  readonly server: Server;
  readonly url: string;
  readonly release: (() => void)[];
}

let redis: RedisHandle;
let replicas: Replica[];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  replicas = await Promise.all([startReplica(), startReplica()]);
});
afterEach(async () => {
  for (const { server, cache, release } of replicas) {
    for (const end of release) end();
    server.closeAllConnections();
    server.close();
    await cache.close();
  }
});

async function startReplica(): Promise<Replica> {
  const cache = createCache(redis.url, { timeoutMs: 10_000 });
  await waitFor(() => cache.isReady);
  const release: (() => void)[] = [];
  const toStatus: ErrorRequestHandler = (error: { status: number }, _req, res, _next) =>
    void res.status(error.status).end();
  const hang: RequestHandler = (_req, res) => void release.push(() => res.end());
  const app = express()
    .use((req, res, next) => {
      res.locals['workspaceId'] = req.path.slice(1);
      next();
    })
    .use(
      limitBulkCalls({
        authorize: (res) => ({ workspaceId: res.locals['workspaceId'] }) as Principal,
        slots: cache,
      }),
      hang,
      toStatus,
    );
  const server = createServer(app).listen(0, '127.0.0.1');
  await waitFor(() => server.listening);
  return { cache, server, release, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const call = (replica: number, workspace: string, signal?: AbortSignal): Promise<number> =>
  fetch(`${replicas[replica]!.url}/${workspace}`, { signal: signal ?? null }).then(({ status }) => status);

async function waitForCalls(replica: number, count: number): Promise<void> {
  await waitFor(() => replicas[replica]!.release.length === count);
}

it('lets a workspace have two bulk calls under way over all replicas, and others go on', async () => {
  const [one, two] = replicas;
  const first = call(0, 'a');
  await waitForCalls(0, 1);
  const second = call(1, 'a');
  await waitForCalls(1, 1);
  expect(await Promise.all([call(0, 'a'), call(1, 'a')])).toEqual([429, 429]);
  const theirs = call(0, 'b');
  await waitForCalls(0, 2);
  one!.release[0]!();
  expect(await first).toBe(200);
  await waitFor(async () => {
    const again = call(1, 'a');
    await Promise.race([again, waitForCalls(1, 2)]);
    return two!.release.length === 2;
  });
  for (const end of [...one!.release, ...two!.release]) end();
  expect(await Promise.all([second, theirs])).toEqual([200, 200]);
});

it('gives the room of a client that went to the next one', async () => {
  const gone = new AbortController();
  const left = [call(0, 'c', gone.signal), call(0, 'c', gone.signal)].map((one) => one.catch(() => 'gone'));
  await waitForCalls(0, 2);
  expect(await call(1, 'c')).toBe(429);
  gone.abort();
  expect(await Promise.all(left)).toEqual(['gone', 'gone']);
  await waitFor(async () => {
    void call(1, 'c').catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return replicas[1]!.release.length > 0;
  });
});
