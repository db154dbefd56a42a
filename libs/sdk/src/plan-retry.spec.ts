// SPDX-License-Identifier: Apache-2.0
import { planRetry, type Attempt } from './plan-retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => String(NOW / 1_000 + seconds);

function plan(
  attempt: Partial<Attempt> & { status?: number; headers?: Record<string, string> },
  random = 0,
): number | undefined {
  const { status, headers, ...rest } = attempt;
  const response = status === undefined ? undefined : { status, headers: new Headers(headers) };
  return planRetry({ method: 'GET', count: 1, hasIdempotencyKey: false, response, ...rest }, NOW, random);
}

describe('planRetry follows the retry guidance of the API', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, undefined],
  ])('after attempt %d of a GET with 500: %p ms', (count, expected) => {
    expect(plan({ count, status: 500 })).toBe(expected);
  });

  it('repeats the first attempt at once where the connection was closed, and what may be repeated alone', () => {
    const isClosed = true;
    expect(plan({ isClosed }, 1)).toBe(0);
    expect(plan({ isClosed, method: 'POST', hasIdempotencyKey: true }, 1)).toBe(0);
    expect(plan({ isClosed, count: 2 })).toBe(2_000);
    expect(plan({ isClosed, method: 'POST' })).toBeUndefined();
    expect(plan({ isClosed, method: 'PATCH' })).toBeUndefined();
  });

  it('adds up to 500 ms by chance, so that clients do not come back together', () => {
    expect(plan({ status: 502 }, 1)).toBe(1_500);
  });

  it.each<[string, boolean, boolean]>([
    ['GET', false, true],
    ['DELETE', false, true],
    ['POST', true, true],
    ['POST', false, false],
    ['PUT', false, false],
    ['PATCH', false, false],
  ])('%s, with an Idempotency-Key: %p: is sent again: %p', (method, hasIdempotencyKey, isRepeated) => {
    for (const status of [undefined, 429, 500, 502, 503, 504])
      expect([status, plan({ method, hasIdempotencyKey, status }) !== undefined]).toEqual([
        status,
        isRepeated,
      ]);
  });

  it.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422])('%d is final', (status) => {
    expect(plan({ status })).toBeUndefined();
    expect(plan({ status, method: 'POST', hasIdempotencyKey: true })).toBeUndefined();
  });

  it.each<[string, Record<string, string>, number]>([
    ['X-RateLimit-Reset first', { 'x-ratelimit-reset': at(7), 'retry-after': '3' }, 7_000],
    [
      'by the clock of the server',
      { 'x-ratelimit-reset': at(-3_593), date: 'Wed, 31 Dec 2025 23:00:00 GMT' },
      7_000,
    ],
    ['a reset that has passed', { 'x-ratelimit-reset': at(-1) }, 0],
    ['a reset that is no time of the window', { 'x-ratelimit-reset': at(86_400) }, 60_000],
    [
      'of another limit',
      { 'x-ratelimit-reset': at(7), 'x-ratelimit-remaining': '12', 'retry-after': '3' },
      3_000,
    ],
    ['Retry-After alone', { 'retry-after': '3' }, 3_000],
    ['neither', {}, 1_000],
    ['nonsense', { 'x-ratelimit-reset': 'soon', 'retry-after': '-1' }, 1_000],
  ])('429: %s', (_case, headers, expected) => {
    expect(plan({ status: 429, headers })).toBe(expected);
  });

  it('503 waits for Retry-After where that is longer, and a request that is still carried out for its end', () => {
    expect(plan({ status: 503, headers: { 'retry-after': '9' } })).toBe(9_000);
    const running = { method: 'POST', hasIdempotencyKey: true, status: 409, headers: { 'retry-after': '1' } };
    expect(plan(running)).toBe(1_000);
  });
});
