// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { waitFor } from '@chainwatch/testing';
import { signPayload } from '@chainwatch/webhook-signature';
import * as forExpress from './express.ts';
import * as forFastify from './fastify.ts';
import * as forHono from './hono.ts';
import * as forNext from './next.ts';
import type { ReceiverOptions } from './receive-webhook.ts';

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const path = '/webhooks/chainwatch';
const body = '{"event_id": "6f1d1f4e-0000-5000-8000-000000000001", "type": "transaction.detected", "ü": 1e2}';
type Send = (init: { body: string; headers: Record<string, string> }) => Promise<Response>;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function post(server: Server): Send {
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  const { port } = server.address() as AddressInfo;
  return (init) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init });
}
const listen = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

const frameworks: Record<string, (options: ReceiverOptions) => Promise<Send>> = {
  async Express(options) {
    const app = express();
    app.post(path, forExpress.chainwatchWebhook(options));
    app.use(express.json());
    return post(await listen(createServer(app)));
  },
  async 'Express behind express.raw'(options) {
    const app = express();
    app.post(path, express.raw({ type: 'application/json' }), forExpress.chainwatchWebhook(options));
    return post(await listen(createServer(app)));
  },
  async 'node:http'(options) {
    return post(await listen(createServer(forExpress.chainwatchWebhook(options))));
  },
  async Fastify(options) {
    const app = fastify();
    app.post('/json', async (request) => request.body);
    await app.register(forFastify.chainwatchWebhook({ path, ...options }));
    await app.listen({ host: '127.0.0.1', port: 0 });
    open.push(app);
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const headers = { 'content-type': 'application/json' };
    const other = await fetch(`${url}/json`, { method: 'POST', headers, body: '{"a":1}' });
    expect(await other.json()).toEqual({ a: 1 });
    return (init) => fetch(`${url}${path}`, { method: 'POST', ...init });
  },
  async Hono(options) {
    const app = new Hono();
    app.post(path, forHono.chainwatchWebhook(options));
    return async (init) => app.request(path, { method: 'POST', ...init });
  },
  async Next(options) {
    const route = forNext.chainwatchWebhook(options);
    return (init) => route(new Request(`https://example.com${path}`, { method: 'POST', ...init }));
  },
};

describe.each(Object.entries(frameworks))('%s', (_name, start) => {
  const sign = (key: string, text = body): Record<string, string> => ({
    'content-type': 'application/json',
    'x-webhook-signature': signPayload({
      secrets: [key],
      timestamp: Math.floor(Date.now() / 1_000),
      body: text,
    }),
  });

  it('takes what is signed, refuses the rest, and has it tried again when the handler throws', async () => {
    const handled: string[] = [];
    const errors: unknown[] = [];
    const send = await start({
      secrets: () => [secret, 'svc_whsec_next'],
      handle: async (event) => {
        await new Promise(setImmediate);
        if (handled.push(event.type) === 2) throw new Error('the database is away');
      },
      onError: (error) => errors.push(error),
    });
    const taken = await send({ body, headers: sign(secret) });
    expect([taken.status, await taken.text()]).toEqual([204, '']);
    expect((await send({ body, headers: sign(secret) })).status).toBe(500);
    expect((await send({ body, headers: sign('svc_whsec_next') })).status).toBe(204);
    const refused = await send({ body, headers: sign('svc_whsec_other') });
    expect([refused.status, await refused.text()]).toEqual([400, 'signature_mismatch']);
    expect((await send({ body: `${body} `, headers: sign(secret) })).status).toBe(400);
    expect((await send({ body, headers: { 'content-type': 'application/json' } })).status).toBe(400);
    expect(handled).toEqual(['transaction.detected', 'transaction.detected', 'transaction.detected']);
    expect(errors).toHaveLength(4);
  });

  it('says that it has no secret, and takes nothing', async () => {
    const errors: unknown[] = [];
    const send = await start({
      secrets: undefined,
      handle: () => undefined,
      onError: (one) => errors.push(one),
    });
    expect((await send({ body, headers: sign(secret) })).status).toBe(500);
    expect(errors).toEqual([expect.any(TypeError)]);
  });
});

it('a sender that goes away in the middle of its body harms nobody', async () => {
  const errors: unknown[] = [];
  const handle = forExpress.chainwatchWebhook({
    secrets: secret,
    handle: () => undefined,
    onError: (error) => errors.push(error),
  });
  const server = await listen(createServer(handle));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{`);
  await once(server, 'request');
  socket.destroy();
  await waitFor(() => errors.length === 1);
});

it('Express: a body that was parsed before is refused, one without end too', async () => {
  const app = express();
  app.use(express.json());
  app.post(path, forExpress.chainwatchWebhook({ secrets: secret, handle: () => undefined }));
  const send = post(await listen(createServer(app)));
  const parsed = await send({
    body,
    headers: { 'content-type': 'application/json', 'x-webhook-signature': 't=1,v1=0' },
  });
  expect([parsed.status, await parsed.text()]).toEqual([400, 'body_not_raw']);
  const plain = post(
    await listen(createServer(forExpress.chainwatchWebhook({ secrets: secret, handle: () => undefined }))),
  );
  expect((await plain({ body: 'x'.repeat(1_048_577), headers: {} })).status).toBe(413);
});
