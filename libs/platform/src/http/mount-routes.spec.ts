// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { mountRoutes } from './mount-routes.ts';
import { problemErrors, routeNotFound } from './problem-errors.ts';
import { routeFactory } from './route.ts';
import type { Method } from './route.ts';

describe('mountRoutes', () => {
  const defineRoute = routeFactory<undefined, undefined, 'any'>();
  const says = (method: Method, path: string) =>
    defineRoute({
      method,
      path,
      permission: 'any',
      summary: path,
      params: z.record(z.string(), z.string()),
      responses: { 200: z.unknown() },
      handle: async ({ params }) => ({ status: 200, body: { is: `${method} ${path}`, params } }),
    });
  // Parameters first, where a router that takes the first that fits would stop.
  const routes = [
    says('GET', '/things/:thing/parts/:part'),
    says('GET', '/things/:thing'),
    says('DELETE', '/things/:thing'),
    says('GET', '/things/:thing/parts/all'),
    says('GET', '/things/special'),
    says('POST', '/things'),
  ];
  const problems = {
    uris: { docsUrl: 'https://docs.example', apiHost: 'https://api.example' },
    onUnexpected: () => undefined,
  };
  const app = express().use(
    '/v1',
    mountRoutes(routes, { deps: undefined, authorizerOf: () => () => undefined, deadlineMs: 1_000 }),
    routeNotFound,
    problemErrors(problems),
  );

  it.each([
    ['/things/one', '/things/:thing', { thing: 'one' }],
    ['/things/special', '/things/special', {}],
    ['/things/special/parts/all', '/things/:thing/parts/all', { thing: 'special' }],
    ['/things/special/parts/7', '/things/:thing/parts/:part', { thing: 'special', part: '7' }],
    ['/things/a%2Fb%20c/', '/things/:thing', { thing: 'a/b c' }],
  ])('%s is answered by %s, wherever it stands in the table', async (path, route, params) => {
    const { body } = await request(app).get(`/v1${path}`).expect(200);
    expect(body).toEqual({ is: `GET ${route}`, params });
  });

  it.each(['/things/one/parts', '/Things/one', '/things//', '/things/one/parts/7/more'])(
    '%s is not found',
    async (path) => {
      await request(app).get(`/v1${path}`).expect(404);
    },
  );

  it('answers HEAD as GET, without the body', async () => {
    const { text } = await request(app).head('/v1/things/one').expect(200);
    expect(text).toBeUndefined();
  });

  it.each([
    ['put', '/things/one', 'GET, DELETE, HEAD'],
    ['delete', '/things/special', 'GET, HEAD'],
    ['options', '/things', 'POST'],
    ['head', '/things', 'POST'],
  ] as const)('%s %s is not allowed, and says what is', async (method, path, allow) => {
    const { headers } = await request(app)[method](`/v1${path}`).expect(405);
    expect(headers.allow).toBe(allow);
  });

  it('is a bad request where a parameter does not decode', async () => {
    const { body } = await request(app).get('/v1/things/%E0%A4%A').expect(400);
    expect(body.fields).toEqual([{ name: 'path', reason: 'expected percent-encoded UTF-8' }]);
  });

  it('lets a stream that comes after the 503 tidy up, once that is out', async () => {
    let tell!: (isOver: boolean) => void;
    const tidied = new Promise<boolean>((resolve) => (tell = resolve));
    const slow = defineRoute({
      method: 'GET',
      path: '/slow',
      permission: 'any',
      summary: 'slow',
      responses: { 200: z.unknown() },
      handle: async () => {
        await delay(50);
        return { status: 200, stream: async (res) => tell(res.writableFinished) };
      },
    });
    const late = express().use(
      mountRoutes([slow], { deps: undefined, authorizerOf: () => () => undefined, deadlineMs: 10 }),
      problemErrors(problems),
    );
    await request(late).get('/slow').expect(503);
    expect(await tidied).toBe(true);
  }, 10_000);
});
