// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { createCache, TokenLedger, type Cache, type TokenRequest, type TokenResult } from './index.ts';
import { createLocalLimiter } from './consume-token.ts';

const REQUEST = { key: 'k', limit: 5, windowSeconds: 10 };
const NOW = 1_700_000_000_000;

describe('createLocalLimiter', () => {
  it('allows the limit at once, then one per interval', () => {
    const consume = createLocalLimiter();
    const answers = Array.from({ length: 7 }, () => consume({ ...REQUEST, now: NOW }));
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false]);
    expect(answers.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    expect(answers[6]).toEqual({
      allowed: false,
      limit: 5,
      remaining: 0,
      resetAt: NOW / 1_000 + 10,
      retryAfterSeconds: 2,
    });
    expect(consume({ ...REQUEST, now: NOW + 1_999 }).allowed).toBe(false);
    expect(consume({ ...REQUEST, now: NOW + 2_000 }).allowed).toBe(true);
    expect(consume({ ...REQUEST, now: NOW + 2_000 }).allowed).toBe(false);
  });

  it('takes several at once, none when they do not fit, and what is spent already in any case', () => {
    const consume = createLocalLimiter();
    expect(consume({ ...REQUEST, cost: 3, now: NOW })).toMatchObject({ allowed: true, remaining: 2 });
    expect(consume({ ...REQUEST, cost: 3, now: NOW })).toMatchObject({
      allowed: false,
      remaining: 2,
      retryAfterSeconds: 2,
    });
    expect(consume({ ...REQUEST, cost: 7, isSpent: true, now: NOW })).toMatchObject({
      allowed: true,
      remaining: 0,
    });
    expect(consume({ ...REQUEST, now: NOW + 11_999 }).allowed).toBe(false);
    expect(consume({ ...REQUEST, now: NOW + 12_000 }).allowed).toBe(true);
  });

  it('never allows more than twice the limit in any window, and allows again after Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 }),
        (limit, windowSeconds, gaps) => {
          const consume = createLocalLimiter();
          const request = { key: 'k', limit, windowSeconds };
          const allowedAt: number[] = [];
          let now = NOW;
          for (const gap of gaps) {
            now += gap;
            const answer = consume({ ...request, now });
            if (answer.allowed) allowedAt.push(now);
            else {
              now += answer.retryAfterSeconds * 1_000;
              expect(consume({ ...request, now }).allowed).toBe(true);
              allowedAt.push(now);
            }
          }
          for (const start of allowedAt) {
            expect(
              allowedAt.filter((at) => at >= start && at < start + windowSeconds * 1_000).length,
            ).toBeLessThanOrEqual(2 * limit);
          }
        },
      ),
    );
  });
});

describe('TokenLedger', () => {
  it('asks the shared counter rarely, and lets replicas together through what the limit is', async () => {
    const limit = 4_000;
    const consume = createLocalLimiter();
    let questions = 0;
    const consumeToken = async (request: TokenRequest): Promise<TokenResult> => {
      questions += 1;
      await nextTurn();
      return consume(request);
    };
    const ledgers = Array.from({ length: 4 }, () => new TokenLedger({ consumeToken }));
    // So long a window that nothing comes back meanwhile.
    const request = { key: 'shared', limit, windowSeconds: 1_000_000 };
    let allowed = 0;
    let calls = 0;
    let remaining = limit;
    for (; calls < 2 * limit; calls += 1) {
      const answer = await ledgers[calls % 4]!.take(request);
      if (answer.allowed) allowed += 1;
      if (calls < limit / 2) remaining = Math.min(remaining, answer.remaining);
      if (calls === limit / 2) {
        expect(remaining).toBeGreaterThanOrEqual(limit / 2 - 4);
        expect(questions).toBeLessThan(limit / 10);
      }
    }
    expect(allowed).toBeGreaterThanOrEqual(limit);
    // A fortieth for each replica.
    expect(allowed).toBeLessThanOrEqual(limit + limit / 10);
    for (const ledger of ledgers)
      expect(await ledger.take(request)).toMatchObject({ allowed: false, remaining: 0 });
    for (const ledger of ledgers) ledger.stop();
  });

  it('asks with each call after a pause, near to the limit, and when the limit is another one', async () => {
    const consume = createLocalLimiter();
    let questions = 0;
    let now = NOW;
    const ledger = new TokenLedger({
      consumeToken: async (request) => ((questions += 1), consume({ ...request, now })),
      now: () => now,
    });
    const take = async (limit: number) =>
      (await ledger.take({ key: 'k', limit, windowSeconds: 60 })).remaining;
    expect([await take(1_000), await take(1_000), await take(1_000), questions]).toEqual([999, 998, 997, 1]);
    now += 101;
    expect([(await take(1_000)) >= 996, questions]).toEqual([true, 3]);
    now += 60_000;
    expect([await take(40), await take(40), questions]).toEqual([39, 38, 5]);
    ledger.stop();
  });
});

describe('createCache', () => {
  let redis: RedisHandle;
  const open: Cache[] = [];
  const start = (url: string | undefined): Cache => {
    const cache = createCache(url);
    open.push(cache);
    return cache;
  };

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await Promise.all(open.map((cache) => cache.close()));
    await redis.stop();
  });

  it('keeps values for their time', async () => {
    const cache = start(redis.url);
    await waitFor(() => cache.isReady);
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(await cache.findBytes('bytes')).toBeUndefined();
    expect(await cache.setBytes('bytes', bytes, 60)).toBe(true);
    expect(await cache.findBytes('bytes')).toEqual(bytes);
    const other = new Redis(redis.url);
    const left = await other.ttl('chainwatch:bytes');
    other.disconnect();
    expect([left > 50, left <= 60]).toEqual([true, true]);
  });

  it('decides as the limiter of one process does', async () => {
    const cache = start(redis.url);
    await waitFor(() => cache.isReady);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(3_000), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (limit, windowSeconds, gaps, cost) => {
          const consume = createLocalLimiter();
          const key = `same:${(run += 1)}`;
          // Near the real time: the key's expiry runs on the server's clock.
          let now = Date.now();
          for (const gap of gaps) {
            now += gap;
            const request = { key, limit, windowSeconds, cost, isSpent: gap % 7 === 0, now };
            expect(await cache.consumeToken(request)).toEqual(consume(request));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('counts together over replicas', async () => {
    const caches = [start(redis.url), start(redis.url)];
    await waitFor(() => caches.every((cache) => cache.isReady));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        caches[index % 2]!.consumeToken({ key: 'shared', limit: 10, windowSeconds: 3_600 }),
      ),
    );
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  it('goes on without Redis and comes back with it', async () => {
    const cache = start(redis.url);
    await waitFor(() => cache.isReady);
    await redis.kill9();
    await waitFor(() => !cache.isReady);
    expect(await cache.findBytes('a')).toBeUndefined();
    expect(await cache.setBytes('a', Buffer.alloc(1), 60)).toBe(false);
    const answers = await Promise.all(
      Array.from({ length: 7 }, () => cache.consumeToken({ ...REQUEST, windowSeconds: 3_600 })),
    );
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
    await redis.restart();
    await waitFor(() => cache.isReady);
    expect(await cache.setBytes('a', Buffer.alloc(1), 60)).toBe(true);
  });

  it('does not let everybody wait for a Redis that hangs', async () => {
    const cache = createCache(redis.url, { timeoutMs: 100 });
    open.push(cache);
    const other = new Redis(redis.url);
    await waitFor(() => cache.isReady);
    await other.client('PAUSE', 600_000, 'ALL');
    // Each of them would wait its 100 ms, minutes in all.
    for (let count = 0; count < 5_000; count += 1) expect(await cache.findBytes('a')).toBeUndefined();
    other.disconnect();
    await redis.restart();
    await waitFor(() => cache.setBytes('a', Buffer.alloc(1), 60));
  });

  it('works without a URL', async () => {
    const cache = start(undefined);
    expect(cache.isReady).toBe(false);
    expect((await cache.consumeToken(REQUEST)).allowed).toBe(true);
    expect(await cache.findBytes('a')).toBeUndefined();
  });
});

describe('slots', () => {
  const slot = { key: 'k', limit: 2, ttlSeconds: 60 };

  it.each(['with Redis', 'without Redis'])(
    'are as many as the limit, kept by who has one, %s',
    async (way) => {
      const redis = way === 'with Redis' ? await startRedis() : undefined;
      const caches = [createCache(redis?.url)];
      if (redis !== undefined) caches.push(createCache(redis.url));
      if (redis !== undefined) await waitFor(() => caches.every(({ isReady }) => isReady));
      const [one, other = one] = caches as [Cache, Cache?];
      const answers = [
        await one.holdSlot({ ...slot, holder: 'a' }),
        await other.holdSlot({ ...slot, holder: 'b' }),
        await one.holdSlot({ ...slot, holder: 'c' }),
        await one.holdSlot({ ...slot, holder: 'a' }),
        await other.holdSlot({ ...slot, holder: 'c', key: 'other' }),
      ];
      expect(answers).toEqual([true, true, false, true, true]);
      await one.freeSlot({ key: 'k', holder: 'a' });
      expect(await other.holdSlot({ ...slot, holder: 'c' })).toBe(true);
      // Who counted for itself while Redis was away keeps what it has.
      expect(await one.holdSlot({ ...slot, holder: 'd', isKept: true })).toBe(true);
      expect(await other.holdSlot({ ...slot, holder: 'e' })).toBe(false);
      await Promise.all(caches.map((cache) => cache.close()));
      await redis?.stop();
    },
  );

  it('of holders that do not come again are free', async () => {
    const redis = await startRedis();
    for (const cache of [createCache(redis.url), createCache(undefined)]) {
      await cache.holdSlot({ ...slot, limit: 1, holder: 'a', ttlSeconds: 0.05 });
      await waitFor(() => cache.holdSlot({ ...slot, limit: 1, holder: 'b' }));
      await cache.close();
    }
    await redis.stop();
  });
});
