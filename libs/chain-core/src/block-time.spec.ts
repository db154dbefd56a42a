// SPDX-License-Identifier: Apache-2.0
import { blocksIn, BlockTime, type TimedHead } from './block-time.ts';

const START = 1_790_000_000_000;

interface Chain {
  readonly count: number;
  readonly blockMs: number;
  /** Heights are this far apart, default 1. */
  readonly every?: number;
  /** What headers tell, default milliseconds. */
  readonly unitMs?: number;
}

/** A chain that is on time. */
function heads({ count, blockMs, every = 1, unitMs = 1 }: Chain): TimedHead[] {
  return Array.from({ length: count }, (_, index) => ({
    number: 1_000 + index * every,
    timeMs: Math.floor((START + index * every * blockMs) / unitMs) * unitMs,
  }));
}

function measured(configuredMs: number, seen: readonly TimedHead[]): BlockTime {
  const time = new BlockTime({ blockTimeMs: configuredMs });
  for (const head of seen) time.note(head);
  return time;
}

describe('BlockTime', () => {
  it('is what the network says until 50 heights were seen', () => {
    const before = measured(2_000, heads({ count: 50, blockMs: 200 }));
    expect([before.measuredMs, before.ms]).toEqual([undefined, 2_000]);
    const after = measured(2_000, heads({ count: 51, blockMs: 200 }));
    expect([after.measuredMs, after.ms, after.configuredMs]).toEqual([200, 200, 2_000]);
  });

  it('measures 200 ms where five blocks tell the same second', () => {
    const seen = heads({ count: 100, blockMs: 200, unitMs: 1_000 });
    expect(new Set(seen.slice(0, 5).map(({ timeMs }) => timeMs)).size).toBe(1);
    expect(measured(2_000, seen).ms).toBe(200);
  });

  it.each([250, 400, 450, 750, 1_500, 3_000])('measures %i ms from headers that tell seconds', (blockMs) => {
    const { ms } = measured(9_000, heads({ count: 100, blockMs, unitMs: 1_000 }));
    expect(Math.abs(ms / blockMs - 1)).toBeLessThan(0.05);
  });

  it('measures milliseconds where headers tell them', () => {
    expect(measured(750, heads({ count: 100, blockMs: 450 })).ms).toBe(450);
  });

  it('counts slots without a block', () => {
    const slots = heads({ count: 130, blockMs: 200, unitMs: 1_000 }).filter(({ number }) => number % 4 !== 0);
    expect(Math.abs(measured(400, slots).ms / 200 - 1)).toBeLessThan(0.1);
  });

  it('measures from every seventh head', () => {
    const seen = heads({ count: 40, blockMs: 200, every: 7, unitMs: 1_000 });
    expect(Math.abs(measured(2_000, seen).ms / 200 - 1)).toBeLessThan(0.1);
  });

  it('passes over a pause of the chain', () => {
    const seen = heads({ count: 100, blockMs: 12_000 }).map((head, index) => ({
      ...head,
      timeMs: head.timeMs + (index < 60 ? 0 : 600_000),
    }));
    expect(measured(1_000, seen).ms).toBe(12_000);
  });

  it('passes over headers that lie, and over nodes that tell no time', () => {
    const seen = heads({ count: 100, blockMs: 12_000 }).map((head, index) => {
      if (index === 30) return { ...head, timeMs: head.timeMs + 86_400_000 };
      return index % 10 === 5 ? { ...head, timeMs: 0 } : head;
    });
    expect(measured(1_000, seen).ms).toBe(12_000);
  });

  it('passes over heads that were seen before, and over late ones', () => {
    const seen = heads({ count: 100, blockMs: 3_000 }).flatMap((head) => [
      head,
      { number: head.number - 2, timeMs: head.timeMs - 6_000 },
      { ...head, timeMs: head.timeMs + 900 },
    ]);
    expect(measured(1_000, seen).ms).toBe(3_000);
  });

  it('measures on after a head that is not of the chain', () => {
    const time = measured(2_000, heads({ count: 100, blockMs: 200 }));
    time.note({ number: 9_000_000, timeMs: START });
    expect(time.ms).toBe(200);
    for (const head of heads({ count: 200, blockMs: 400 })) time.note(head);
    expect(time.ms).toBe(400);
  });

  it('follows a chain that becomes faster', () => {
    const time = measured(400, heads({ count: 100, blockMs: 400 }));
    for (let index = 0; index < 100; index += 1)
      time.note({ number: 1_100 + index, timeMs: START + 40_000 + 200 * index });
    expect(time.ms).toBe(200);
  });

  it('measures nothing where all heads tell the same time, and nothing of a local chain', () => {
    expect(measured(2_000, heads({ count: 100, blockMs: 0 })).ms).toBe(2_000);
    const local = new BlockTime({ blockTimeMs: 1_000, isLocal: true });
    for (const head of heads({ count: 100, blockMs: 5 })) local.note(head);
    expect(local.ms).toBe(1_000);
  });

  it('keeps answers no longer than configured', () => {
    expect(measured(2_000, heads({ count: 100, blockMs: 200 })).shortestMs).toBe(200);
    expect(measured(200, heads({ count: 100, blockMs: 2_000 })).shortestMs).toBe(200);
  });
});

describe('blocksIn', () => {
  it('turns a time into blocks', () => {
    expect([200, 450, 2_000, 12_000].map((ms) => blocksIn(5_000, { ms }, 3))).toEqual([25, 12, 3, 3]);
  });
});
