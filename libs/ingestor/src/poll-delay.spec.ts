// SPDX-License-Identifier: Apache-2.0
import { pollDelay } from './poll-delay.ts';

const quiet = { blockTimeMs: 12_000, sinceHeadMs: 0, isPushed: false, failures: 0 };

describe('pollDelay', () => {
  it('waits until a block can be expected', () => {
    expect(pollDelay(quiet)).toBe(10_800);
    expect(pollDelay({ ...quiet, sinceHeadMs: 10_000 })).toBe(800);
  });

  it('is dense when a block is due', () => {
    expect(pollDelay({ ...quiet, sinceHeadMs: 12_000 })).toBe(600);
    expect(pollDelay({ ...quiet, blockTimeMs: 400, sinceHeadMs: 400 })).toBe(50);
  });

  it('backs off to the block time and 100 ms when none comes', () => {
    expect(pollDelay({ ...quiet, sinceHeadMs: 24_000 })).toBe(3_000);
    expect(pollDelay({ ...quiet, sinceHeadMs: 10_000_000 })).toBe(12_100);
    expect(pollDelay({ ...quiet, blockTimeMs: 600_000, sinceHeadMs: 10_000_000 })).toBe(30_000);
  });

  it.each([200, 250, 450, 1_000, 2_000, 3_000, 12_000, 600_000])(
    'notices a head within one block time and 100 ms at %i ms a block',
    (blockTimeMs) => {
      for (let sinceHeadMs = 0; sinceHeadMs <= 20 * blockTimeMs; sinceHeadMs += blockTimeMs / 20)
        expect(pollDelay({ ...quiet, blockTimeMs, sinceHeadMs })).toBeLessThanOrEqual(blockTimeMs + 100);
    },
  );

  it('polls within 50 ms of the time when a block of 200 ms is due', () => {
    const fast = { ...quiet, blockTimeMs: 200 };
    expect([0, 100, 180, 200, 300].map((sinceHeadMs) => pollDelay({ ...fast, sinceHeadMs }))).toEqual([
      180, 80, 50, 50, 50,
    ]);
  });

  it('is a slow safety net while heads are pushed, of at most twice the block time', () => {
    expect(pollDelay({ ...quiet, isPushed: true })).toBe(24_000);
    expect(pollDelay({ ...quiet, isPushed: true, sinceHeadMs: 23_000 })).toBe(12_000);
    expect(pollDelay({ ...quiet, isPushed: true, blockTimeMs: 1_000, sinceHeadMs: 60_000 })).toBe(1_000);
    expect(pollDelay({ ...quiet, isPushed: true, blockTimeMs: 200 })).toBe(500);
  });

  it('tries again soon after a failure, and ever less often', () => {
    expect([1, 2, 3, 10].map((failures) => pollDelay({ ...quiet, failures }))).toEqual([
      100, 200, 400, 5_000,
    ]);
    expect(pollDelay({ ...quiet, blockTimeMs: 200, failures: 10 })).toBe(1_000);
  });

  it('never is shorter than 50 ms, whatever the block time', () => {
    for (const sinceHeadMs of [0, 1, 10, 100])
      expect(pollDelay({ ...quiet, blockTimeMs: 1, sinceHeadMs })).toBeGreaterThanOrEqual(50);
  });
});
