import { startTelemetry } from '@chainwatch/telemetry';
import { readMetrics } from '@chainwatch/testing';
import { observeAttempts } from './observe-attempts.ts';

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
