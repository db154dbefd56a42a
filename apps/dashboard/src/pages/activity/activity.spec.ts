// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { sayRate, sumPoints, type Point } from './activity.tsx';

const pointOf = (more: Partial<Point>): Point => ({
  ...{ at: '2026-01-01T00:00:00.000Z', events: 0, delivered: 0, failed_attempts: 0 },
  ...{ success_rate: null, latency: null },
  ...more,
});

it('sums events and attempts, and weighs latency by attempts', () => {
  const points = [
    pointOf({ events: 3, delivered: 9, failed_attempts: 1, latency: { mean_ms: 10, p95_ms: 20 } }),
    pointOf({ events: 1, delivered: 30, failed_attempts: 0, latency: { mean_ms: 50, p95_ms: 100 } }),
    pointOf({}),
  ];
  expect(sumPoints(points)).toEqual({ events: 4, delivered: 39, failed: 1, successRate: 0.975, meanMs: 40 });
});

it('has no rate and no latency without an attempt, and no events of a channel', () => {
  expect(sumPoints([pointOf({ events: null })])).toEqual({
    ...{ events: null, delivered: 0, failed: 0, successRate: undefined, meanMs: undefined },
  });
});

it.each([
  [undefined, 'none'],
  [1, '100 %'],
  [0.99999, '99.99 %'],
  [0.9951, '99.51 %'],
  [0.5, '50 %'],
  [0, '0 %'],
])('says %d as %s', (rate, text) => {
  expect(sayRate(rate)).toBe(text);
});
