// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { DEFAULT_RETRY_SCHEDULE_MS, findRetryDelay } from './decide-outcome.ts';

const scheduleMs = DEFAULT_RETRY_SCHEDULE_MS;

describe('findRetryDelay', () => {
  test('has 12 attempts at the times of the contract', () => {
    const delays = Array.from({ length: 12 }, (_value, index) =>
      findRetryDelay({ scheduleMs, attemptCount: index + 1, random: () => 0.5 }),
    );
    const seconds = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(delays).toEqual([...seconds.map((one) => one * 1_000), undefined]);
  });

  test('spreads by 20 % and no more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 11 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (attemptCount, random) => {
          const base = scheduleMs[attemptCount]!;
          const delayMs = findRetryDelay({ scheduleMs, attemptCount, random: () => random })!;
          expect(delayMs).toBeGreaterThanOrEqual(base * 0.8);
          expect(delayMs).toBeLessThanOrEqual(base * 1.2);
        },
      ),
    );
  });

  test.each([
    [1_000, 5_000],
    [7_000, 7_000],
    [60_000, 10_000],
  ])('takes Retry-After of %i ms as %i ms, within base and twice base', (retryAfterMs, expected) => {
    expect(findRetryDelay({ scheduleMs, attemptCount: 1, retryAfterMs, random: () => 0 })).toBe(expected);
  });
});
