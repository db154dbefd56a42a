// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startHttpServer, type HttpServer } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { limitBulkCalls } from './limit-bulk-calls.ts';

/** A replica whose bulk calls last until they are released, or their client goes. */
interface Replica {
  readonly cache: Cache;
  readonly server: HttpServer;
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
    await server.close(0);
    await cache.close();
  }
});

async function startReplica(): Promise<Replica> {
  const cache = createCache(redis.url, { timeoutMs: 10_000 });
  await waitFor(() => cache.isReady);
  const release: (() => void)[] = [];
  const toStatus: ErrorRequestHandler = (error: { status: number }, _req, res, _next) =>
    void res.status(error.status).end();
  const hang: RequestHandler = (_req, res) => {
    res.flushHeaders();
    release.push(() => res.end());
  };
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
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  return { cache, server, release, url: `http://127.0.0.1:${server.port}` };
}

/** Kept, because fetch cuts the connection of an answer that nobody refers to. */
const answers: Response[] = [];

/** Resolves when the call is under way, or refused. */
async function call(replica: number, workspace: string, signal?: AbortSignal): Promise<number> {
  const answer = await fetch(`${replicas[replica]!.url}/${workspace}`, { signal: signal ?? null });
  answers.push(answer);
  return answer.status;
}

it('lets a workspace have two bulk calls under way over all replicas, and others go on', async () => {
  expect([await call(0, 'a'), await call(1, 'a')]).toEqual([200, 200]);
  expect([await call(0, 'a'), await call(1, 'a')]).toEqual([429, 429]);
  expect(await call(0, 'b')).toBe(200);
  replicas[0]!.release[0]!();
  await waitFor(async () => (await call(1, 'a')) === 200);
  expect(await call(0, 'a')).toBe(429);
});

it('gives the room of a client that went to the next one', async () => {
  const gone = new AbortController();
  expect([await call(0, 'c', gone.signal), await call(0, 'c', gone.signal)]).toEqual([200, 200]);
  expect(await call(1, 'c')).toBe(429);
  gone.abort();
  await waitFor(async () => (await call(1, 'c')) === 200);
});

describe('calls behind each other on one connection', () => {
  const pipeline = (replica: number, workspace: string): Socket => {
    const client = connect(replicas[replica]!.server.port, '127.0.0.1');
    client.write(`GET /${workspace} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20));
    return client;
  };

  it('take the room of their workspace alone', async () => {
    const client = pipeline(0, 'd');
    await waitFor(() => replicas[0]!.release.length === 2);
    await waitFor(async () => (await call(1, 'd')) === 429);
    expect(await call(0, 'e')).toBe(200);
    client.destroy();
  });

  it('give it back when the connection closes', async () => {
    const client = pipeline(0, 'f');
    await waitFor(() => replicas[0]!.release.length === 2);
    client.destroy();
    for (const workspace of ['f', 'f', 'g', 'g'])
      await waitFor(async () => (await call(0, workspace)) === 200, { timeoutMs: 5_000 });
  });
});
