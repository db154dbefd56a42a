// SPDX-License-Identifier: Apache-2.0
import type { Attempt } from '@chainwatch/channels';
import { startTelemetry } from '@chainwatch/platform/telemetry';
import { readMetrics, startTraceCollector } from '@chainwatch/testing';
import { observeAttempts } from './start-notifier.ts';

it('tells how long events were on their way, and leaves out those whose time says nothing', async () => {
  const telemetry = await startTelemetry({ serviceName: 'spec' });
  const { onAttempt } = observeAttempts();
  const startedAt = new Date('2026-01-01T00:00:10Z');
  const made = (secondsBefore: number, isFirst: boolean) => ({
    eventAt: new Date(startedAt.getTime() - secondsBefore * 1_000),
    isFirst,
  });
  // A digest of two first attempts, and one of history.
  onAttempt({ startedAt, durationMs: 500, errorCode: undefined }, [
    made(2, true),
    made(1, true),
    { eventAt: undefined, isFirst: true },
  ]);
  onAttempt({ startedAt, durationMs: 500, errorCode: 'timeout' }, [made(4, true)]);
  onAttempt({ startedAt, durationMs: 500, errorCode: undefined }, [made(100, false)]);
  // The analyzer's clock runs ahead.
  onAttempt({ startedAt, durationMs: 500, errorCode: undefined }, [made(-3, true)]);
  const metrics = await readMetrics(telemetry.handleMetrics);
  const read = (name: string): (number | undefined)[] =>
    ['count', 'sum'].map((part) => metrics.get(`chainwatch_${name}_seconds_${part}`));
  expect(read('event_attempt')).toEqual([4, 7]);
  expect(read('event_delivered')).toEqual([4, 105]);
  expect(read('delivery_attempt')).toEqual([4, 2]);
  expect(metrics.get('chainwatch_delivery_attempts_total{outcome="delivered"}')).toBe(3);
  expect(metrics.get('chainwatch_delivery_attempts_total{outcome="timeout"}')).toBe(1);
  await telemetry.stop();
});

it('makes a span of an attempt that says what failed, links what else it carries, and keeps the secrets of its URL', async () => {
  const collector = await startTraceCollector();
  const telemetry = await startTelemetry({ serviceName: 'spec', endpoint: collector.url });
  const { trace } = observeAttempts();
  const ids = ['0af7651916cd43dd8448eb211c80319c', '1bf7651916cd43dd8448eb211c80319c'];
  const [traceparent, other] = ids.map((id) => `00-${id}-b7ad6b7169203331-01`);
  const run = (channelKind: string, attempt: Pick<Attempt, 'statusCode' | 'errorCode' | 'request'>) =>
    trace(
      { traceparent, others: [other!], eventType: 'transaction.confirmed', channelId: 'c', channelKind },
      async () => [attempt as Attempt],
    );
  const url = 'https://user:hunter2@hooks.example.com:8443/hunter2?token=hunter2';
  const post = { method: 'POST', url, headers: {}, body: 'hunter2' } as const;
  await run('webhook', { statusCode: 204, errorCode: undefined, request: post });
  await run('webhook', { statusCode: 500, errorCode: 'http_error', request: post });
  await run('webhook', { statusCode: undefined, errorCode: 'timeout', request: post });
  const publish = { method: 'PUB', url: 'nats://user:hunter2@bus.example.com:4222', subject: 'pay' } as const;
  await run('nats', { statusCode: undefined, errorCode: undefined, request: { ...publish, headers: {} } });
  const failed = trace(
    { traceparent, others: [], eventType: 'x', channelId: 'c', channelKind: undefined },
    () => Promise.reject(new Error('no')),
  );
  await expect(failed).rejects.toThrow('no');
  await telemetry.stop();
  collector.stop();
  const http = { 'http.request.method': 'POST', 'server.address': 'hooks.example.com', 'server.port': 8443 };
  const carried = { kind: 'client', traceId: ids[0], links: [ids[1]] };
  expect(collector.spans).toMatchObject([
    {
      ...carried,
      isFailed: false,
      attributes: { ...http, 'http.response.status_code': 204, channel_kind: 'webhook' },
    },
    {
      ...carried,
      isFailed: true,
      attributes: { ...http, 'http.response.status_code': 500, 'error.type': '500' },
    },
    { ...carried, isFailed: true, attributes: { ...http, 'error.type': 'timeout' } },
    {
      ...{ ...carried, isFailed: false },
      attributes: {
        ...{ 'messaging.system': 'nats', 'messaging.destination.name': 'pay' },
        ...{ 'server.address': 'bus.example.com', 'server.port': 4222 },
      },
    },
    { isFailed: true, attributes: { 'error.type': 'Error' } },
  ]);
  expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
});
