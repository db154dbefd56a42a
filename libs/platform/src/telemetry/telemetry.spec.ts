// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import {
  counter,
  createLogger,
  createStallRecorder,
  currentTraceparent,
  describeChain,
  gauge,
  histogram,
  newTraceparent,
  notOk,
  ok,
  onScrape,
  probe,
  startHealthServer,
  startTelemetry,
  withSpan,
} from './index.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('without startTelemetry', () => {
  it('counts nothing and fails nothing', () => {
    counter('chainwatch_specs_total').add();
    gauge('chainwatch_specs').set(1);
    histogram('chainwatch_specs_seconds').record(0.1, { kind: 'a' });
    expect(counter('chainwatch_specs_total')).toBe(counter('chainwatch_specs_total'));
  });

  it('carries the trace on, with a new span each time', async () => {
    expect(currentTraceparent()).toBeUndefined();
    const seen = await withSpan('outer', { traceparent: TRACEPARENT }, async (outer) => {
      await Promise.resolve();
      expect(currentTraceparent()).toBe(outer.traceparent);
      return [outer.traceparent, await withSpan('inner', {}, (inner) => inner.traceparent)];
    });
    expect(seen.map((entry) => entry.slice(0, 35))).toEqual([
      TRACEPARENT.slice(0, 35),
      TRACEPARENT.slice(0, 35),
    ]);
    expect(new Set([TRACEPARENT, ...seen]).size).toBe(3);
    expect(currentTraceparent()).toBeUndefined();
  });

  it('starts a new trace where the context is broken', async () => {
    const traceparent = await withSpan('x', { traceparent: 'nonsense' }, (span) => span.traceparent);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(newTraceparent(TRACEPARENT)).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  });
});

describe('createLogger', () => {
  const write = (isReadable: boolean, log: (logger: ReturnType<typeof createLogger>) => void): string => {
    const lines: string[] = [];
    log(
      createLogger({
        service: 'spec',
        level: 'info',
        isReadable,
        destination: { write: (line) => void lines.push(line) },
        hides: [/(?<=\/bot)\d+:[\w-]+/g],
      }),
    );
    return lines.join('');
  };

  it('hides what is secret in fields, nested fields, errors, URLs and messages', () => {
    const output = write(false, (logger) => {
      const error = new Error('connect postgres://user:hunter2@db/x failed', {
        cause: new Error('nats://hunter2@host'),
      });
      logger.info(
        {
          webhook_secret: 'hunter2',
          headers: { Authorization: 'hunter2', 'X-Api-Key': 'hunter2' },
          list: [{ bot_token: 'hunter2' }],
          url: 'https://a:hunter2@host/path',
        },
        'called https://api.telegram.org/bot123:hunter2/send',
      );
      logger.warn({ err: error }, 'redis://:hunter2@cache failed');
    });
    expect(output).not.toContain('hunter2');
    expect(output).toContain('https://[hidden]@host/path');
  });

  it('keeps what is no secret', () => {
    const [line] = write(false, (logger) =>
      logger.info(
        { token: 7, tokens: ['eip155:1'], height: 12n, chain_gid: 'eip155:1' },
        'a block was processed',
      ),
    ).split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'info',
      service: 'spec',
      token: 7,
      tokens: ['eip155:1'],
      height: 12,
      msg: 'a block was processed',
    });
  });

  it('names the trace', async () => {
    const output = await withSpan('x', { traceparent: TRACEPARENT }, () =>
      write(false, (logger) => logger.info({}, 'inside')),
    );
    expect(JSON.parse(output)).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c' });
  });

  it('writes one readable line on demand', () => {
    const output = write(true, (logger) => logger.info({ height: 7 }, 'a block was processed'));
    expect(output.replaceAll(/\u001b\[\d+m/g, '')).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}spec a block was processed height=7\n$/,
    );
  });
});

describe('startHealthServer', () => {
  it('tells readiness, liveness and metrics apart', async () => {
    const state = {
      postgres: notOk('connect postgres://user:hunter2@db refused') as ReturnType<typeof notOk> | typeof ok,
      isAlive: true,
    };
    const server = await startHealthServer({
      port: 0,
      host: '127.0.0.1',
      checks: () => ({ postgres: state.postgres, 'lease eip155:1': ok }),
      liveness: () => (state.isAlive ? {} : { relay: notOk('stood still for 60 s') }),
      metrics: (_, res) => void res.end('metrics'),
    });
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"ok","checks":{}}' });
    const notReady = await get('/readyz');
    expect(notReady.status).toBe(503);
    expect(JSON.parse(notReady.text)).toEqual({
      status: 'not_ready',
      checks: {
        postgres: { ok: false, reason: 'connect postgres://[hidden]@db refused' },
        'lease eip155:1': { ok: true },
      },
    });
    state.postgres = ok;
    expect((await get('/readyz')).status).toBe(200);
    state.isAlive = false;
    expect((await get('/healthz')).status).toBe(503);
    expect((await get('/metrics')).text).toBe('metrics');
    expect((await get('/other')).status).toBe(404);
    await server.stop();
  });

  it('is ready while a chain stands still, and tells why', async () => {
    const checks = {
      postgres: ok,
      'chain eip155:1': describeChain({ status: 'stalled', reason: 'the node is away' }),
    };
    const server = await startHealthServer({ port: 0, host: '127.0.0.1', checks: () => checks });
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        status: 'ok',
        checks: {
          postgres: { ok: true },
          'chain eip155:1': { ok: true, status: 'stalled', reason: 'the node is away' },
        },
      },
    ]);
    await server.stop();
  });

  it('reports a check that throws or hangs as a reason', async () => {
    expect(await probe(() => Promise.reject(new Error('refused')))).toEqual({ ok: false, reason: 'refused' });
    expect(await probe(() => new Promise(() => undefined), 20)).toEqual({
      ok: false,
      reason: 'no answer within 20 ms',
    });
    const server = await startHealthServer({
      port: 0,
      host: '127.0.0.1',
      checks: () => Promise.reject(new Error('broken check')),
    });
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not_ready', checks: { checks: { ok: false, reason: 'broken check' } } },
    ]);
    await server.stop();
  });
});

describe('startTelemetry', () => {
  it('exports metrics to a scrape and spans to a collector, joined by the trace context', async () => {
    const collected: string[] = [];
    const collector = createServer((req, res) => {
      void readBody(req).then((body) => {
        collected.push(`${req.url} ${body}`);
        res.end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const early = counter('chainwatch_early_total');
    process.env.OTEL_RESOURCE_ATTRIBUTES = 'k8s.pod.name=spec-7';
    const telemetry = await startTelemetry({
      serviceName: 'spec',
      commit: 'abc',
      endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    });
    early.add(2, { chain_gid: 'eip155:1' });
    gauge('chainwatch_lag_blocks').set(3);
    const recordStalls = createStallRecorder();
    recordStalls(
      new Map([
        ['eip155:1', true],
        ['eip155:2', true],
        ['eip155:3', true],
      ]),
    );
    recordStalls(
      new Map([
        ['eip155:1', true],
        ['eip155:2', false],
      ]),
    );
    histogram('chainwatch_step_seconds').record(0.02);
    const sizes = histogram('chainwatch_specs_size', { buckets: [1, 2] });
    for (const [value, attributes] of [
      [1, { a: 1, b: 'x' }],
      [2, { b: 'x', a: 1 }],
      [3, { a: 1, b: 'x' }],
      [9, { a: 2, b: 'x' }],
    ] as const)
      sizes.record(value, attributes);
    await expect(
      withSpan('step', { traceparent: TRACEPARENT, attributes: { height: 7 } }, () =>
        Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
    const inner = await withSpan('outer', { traceparent: TRACEPARENT }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return currentTraceparent();
    });
    expect(inner?.slice(0, 35)).toBe(TRACEPARENT.slice(0, 35));
    const server = await startHealthServer({
      port: 0,
      host: '127.0.0.1',
      checks: () => ({}),
      metrics: telemetry.handleMetrics,
    });
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    expect(text).toMatch(/^chainwatch_early_total\{chain_gid="eip155:1"\} 2$/m);
    expect(text).toMatch(/^chainwatch_lag_blocks 3$/m);
    expect(text.match(/^chainwatch_chain_stalled_status.*$/gm)).toEqual(
      // The third one is somebody else's by now.
      ['1', '2'].map(
        (chain) => `chainwatch_chain_stalled_status{chain_gid="eip155:${chain}"} ${chain === '1' ? 1 : 0}`,
      ),
    );
    expect(text).toMatch(/^chainwatch_build_info\{service="spec",version="\d+\.\d+\.\d+",commit="abc"\} 1$/m);
    expect(text).not.toContain('NaN');
    // It comes back, and what is read at a scrape is read at each.
    recordStalls(new Map([['eip155:3', true]]));
    let scrapes = 0;
    const stopReading = onScrape(() => gauge('chainwatch_scrapes').set((scrapes += 1)));
    const readMetrics = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    await readMetrics();
    const later = await readMetrics();
    stopReading();
    expect(await readMetrics()).toContain('\nchainwatch_scrapes 2\n');
    expect(later).toContain('\nchainwatch_scrapes 2\n');
    expect(later.match(/^chainwatch_chain_stalled_status.*$/gm)).toEqual([
      'chainwatch_chain_stalled_status{chain_gid="eip155:3"} 1',
    ]);
    expect(text).toMatch(/^chainwatch_step_seconds_bucket\{le="0.025"\} 1$/m);
    expect(text.match(/^chainwatch_specs_size.*a="1".*$/gm)).toEqual(
      [
        '_count{a="1",b="x"} 3',
        '_sum{a="1",b="x"} 6',
        '_bucket{a="1",b="x",le="1"} 1',
        '_bucket{a="1",b="x",le="2"} 2',
        '_bucket{a="1",b="x",le="+Inf"} 3',
      ].map((line) => `chainwatch_specs_size${line}`),
    );
    expect(text).toMatch(/^chainwatch_specs_size_count\{a="2",b="x"\} 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m);
    const until = performance.now() + 300;
    while (performance.now() < until);
    await waitFor(async () => {
      const [, seconds] = /^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(await readMetrics())!;
      return Number(seconds) > 0.2 && Number(seconds) < 60;
    });
    expect(await readMetrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
    await server.stop();
    await telemetry.stop();
    await waitFor(() => collected.some((entry) => entry.startsWith('/v1/traces')));
    expect(collected.join('')).toContain('0af7651916cd43dd8448eb211c80319c');
    for (const attribute of ['service.version', 'service.name', 'k8s.pod.name', 'spec-7'])
      expect(collected.join('')).toContain(attribute);
    delete process.env.OTEL_RESOURCE_ATTRIBUTES;
    collector.close();
  });
});

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
