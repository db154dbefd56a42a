// SPDX-License-Identifier: Apache-2.0
import express from 'express';
import { currentTraceparent, startTelemetry, withSpan } from '../telemetry/index.ts';
import { startTraceCollector } from '@chainwatch/testing';
import { jsonBody } from './read-request.ts';
import { recordRequests } from './record-requests.ts';
import { startHttpServer } from './start-http-server.ts';

it('makes a span of each request, in the trace of the caller, that tells no query and no header of a key', async () => {
  const collector = await startTraceCollector();
  const telemetry = await startTelemetry({ serviceName: 'spec', endpoint: collector.url });
  const app = express();
  app.use(recordRequests({ debug: () => undefined }));
  app.get('/things/:id', (_req, res) => void res.end(currentTraceparent()));
  app.post('/things', jsonBody({ limitBytes: 1_000 }), (_req, res) => void res.end(currentTraceparent()));
  app.get('/broken', async (_req, res) => {
    await withSpan('inside', {}, () => Promise.reject(new Error('no'))).catch(() => undefined);
    res.status(503).end();
  });
  const left = new Promise((resolve) => app.get('/slow', (_req, res) => void res.once('close', resolve)));
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${server.port}`;
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, 'x-api-key': 'hunter2' };
  const seen = await (await fetch(`${origin}/things/7?secret=hunter2`, { headers })).text();
  // In two pieces: what is read of a body belongs to its request.
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from('{"a":'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.enqueue(Buffer.from('1}'));
      controller.close();
    },
  });
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  const posted = await fetch(`${origin}/things`, { ...sent, duplex: 'half' } as RequestInit);
  expect(await posted.text()).toContain(trace);
  await fetch(`${origin}/broken`);
  await fetch(`${origin}/nowhere`);
  await fetch(`${origin}/slow`, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
  await left;
  await server.close();
  await telemetry.stop();
  collector.stop();
  const { spans } = collector;
  expect(spans).toHaveLength(6);
  expect(seen).toContain(trace);
  const find = (name: string) => spans.filter((span) => span.name === name);
  expect(find('GET /things/:id')).toMatchObject([
    {
      ...{ kind: 'server', traceId: trace, parentSpanId: 'b7ad6b7169203331', isFailed: false },
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/things/:id',
        'url.path': '/things/7',
        'http.response.status_code': 200,
      },
    },
  ]);
  const [broken] = find('GET /broken');
  expect(broken).toMatchObject({ isFailed: true, attributes: { 'error.type': '503' } });
  expect(find('inside')).toMatchObject([{ parentSpanId: broken!.spanId }]);
  // The path that no route has, and the caller who left.
  expect(find('GET')).toMatchObject([{ isFailed: false, attributes: { 'http.response.status_code': 404 } }]);
  expect(find('GET /slow')).toHaveLength(1);
  expect(JSON.stringify(spans)).not.toContain('hunter2');
});
