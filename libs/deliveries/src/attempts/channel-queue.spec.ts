// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Channel } from '../channel-store.ts';
import { ChannelQueue, type QueueLimits } from './channel-queue.ts';
import type { DeliveryJob } from '../delivery-job.ts';

const channel: Channel = {
  id: 'c',
  workspaceId: 'w',
  projectId: 'p',
  status: 'active',
  isArchived: false,
  consecutiveFailures: 0,
  eventTypes: new Set(),
  filters: {},
  throttlePerSecond: undefined,
  fault: undefined,
  kind: undefined,
  target: undefined,
  pauseGroup: undefined,
};
const limits: QueueLimits = {
  concurrency: 8,
  failingAfter: 5,
  intervalMs: 0,
  sharedIntervalMs: 0,
};

function job(id: number, isFirst = true): DeliveryJob {
  return {
    id: String(id).padStart(4, '0'),
    channelId: 'c',
    eventId: 'e',
    eventType: 't',
    payload: '',
    traceparent: undefined,
    attemptCount: 0,
    isFirst,
    dueAt: new Date(0),
    isProbe: false,
    isTest: false,
  };
}

function queueWith(jobs: readonly DeliveryJob[], more: Partial<QueueLimits> = {}): ChannelQueue {
  const queue = new ChannelQueue(channel, { ...limits, ...more });
  for (const one of jobs) queue.push(one);
  return queue;
}

const idsOf = (jobs: readonly DeliveryJob[] | number | undefined): unknown =>
  Array.isArray(jobs) ? jobs.map(({ id }: DeliveryJob) => Number(id)) : jobs;

/** Ends a request, and starts whatever may start then. */
function startAll(queue: ChannelQueue, nowMs: number): unknown[] {
  const started: unknown[] = [];
  for (let next = queue.next(nowMs); Array.isArray(next); next = queue.next(nowMs))
    started.push(...(idsOf(next) as number[]));
  return started;
}

test('starts in event order, retries behind, whatever the order in which they come', () => {
  const queue = queueWith([job(9, false), job(3), job(1), job(2), job(8, false)], { concurrency: 1 });
  const order: unknown[] = [];
  for (let next = queue.next(0); Array.isArray(next); next = queue.next(0)) {
    order.push(...(idsOf(next) as number[]));
    queue.end(next as DeliveryJob[], false, 0);
  }
  expect(order).toEqual([1, 2, 3, 9, 8]);
});

test('first attempts that never end hold up no retry for ever, and keep half of the turns', () => {
  const digest = { from: 2, max: 200 };
  const retries = [job(1, false), job(2, false)];
  const queue = queueWith(retries, { concurrency: 1, intervalMs: 60_000, digest });
  const order: unknown[] = [];
  for (let minute = 0; minute < 6; minute += 1) {
    queue.push(job(10 * minute + 10));
    queue.push(job(10 * minute + 11));
    const started = queue.next(minute * 60_000) as DeliveryJob[];
    order.push(idsOf(started));
    queue.end(started, false, minute * 60_000);
  }
  expect(order).toEqual([[10, 11], [20, 21], [1], [30, 31, 40, 41], [2], [50, 51, 60, 61]]);
});

test('lets an unknown receiver have two requests, and one more for every answer', () => {
  const jobs = Array.from({ length: 40 }, (_, index) => job(index));
  const queue = queueWith(jobs);
  expect(startAll(queue, 0)).toHaveLength(2);
  expect(queue.isSuspect(0)).toBe(true);
  queue.end([jobs[0]!], false, 10);
  expect(queue.isSuspect(10)).toBe(false);
  expect(startAll(queue, 10)).toHaveLength(2);
  for (let count = 0; count < 10; count += 1) {
    queue.end([jobs[0]!], false, 20);
    startAll(queue, 20);
  }
  expect(queue.active).toBe(8);
  expect(queue.isSuspect(1_000)).toBe(false);
  // Eight requests are unanswered, and no answer came for more than a second.
  expect(queue.isSuspect(1_100)).toBe(true);
  queue.end([jobs[0]!], true, 1_200);
  expect(startAll(queue, 1_200)).toHaveLength(0);
});

test('what is rehearsed goes alone, and nothing of a key goes without the others', () => {
  const rehearsed = (id: number): DeliveryJob => ({ ...job(id), rehearsal: 'rotation' });
  const keyed = (id: number): DeliveryJob => ({ ...job(id), orderingKey: 7 });
  const jobs = [rehearsed(1), keyed(2), rehearsed(3), keyed(4), job(5)];
  const queue = queueWith(jobs, { concurrency: 1, digest: { from: 1, max: 500 } });
  const order: unknown[] = [];
  for (let next = queue.next(0); Array.isArray(next); next = queue.next(0)) {
    order.push(idsOf(next));
    queue.end(next as DeliveryJob[], false, 0);
  }
  expect(order).toEqual([[1], [2, 4, 5], [3]]);
});

test('gathers what waits into digests from a number on, and waits between two requests', () => {
  const queue = queueWith(
    Array.from({ length: 9 }, (_, index) => job(index)),
    { concurrency: 1, intervalMs: 1_000, digest: { from: 3, max: 5 } },
  );
  const first = queue.next(100);
  expect(idsOf(first)).toEqual([0, 1, 2, 3, 4]);
  queue.end(first as DeliveryJob[], false, 200);
  expect(queue.next(200)).toBe(880);
  const second = queue.next(1_100);
  expect(idsOf(second)).toEqual([5, 6, 7, 8]);
  queue.end(second as DeliveryJob[], false, 1_200);
  queue.push(job(10));
  queue.pauseUntil(9_000);
  expect(queue.next(8_000)).toBe(1_000);
  expect(idsOf(queue.next(9_000))).toEqual([10]);
});

const asked = (queue: ChannelQueue, nowMs = 0): number[] => Object.values(queue.asks(nowMs));

describe('what it asks the table for', () => {
  test('is nothing until somebody says that there may be something, or once the table has no more', () => {
    const queue = queueWith([]);
    expect(asked(queue)).toEqual([0, 0]);
    queue.noteMore();
    expect(asked(queue)).toEqual([2, 2]);
    const claim = queue.asks(0);
    queue.beginClaim(claim);
    queue.endClaim(claim, { first: 1, behind: 2 });
    expect(asked(queue)).toEqual([0, 2]);
  });

  test('is asked for again when somebody said so during the claim', () => {
    const queue = queueWith([]);
    queue.noteMore();
    const claim = queue.asks(0);
    queue.beginClaim(claim);
    queue.noteMore();
    queue.endClaim(claim, { first: 0, behind: 0 });
    expect(asked(queue)).toEqual([2, 2]);
  });

  test('is what can start soon: two rows until it answers, then twice its requests, of a digest twice as many rows', () => {
    const queue = queueWith([job(1)], { digest: { from: 3, max: 5 }, concurrency: 1 });
    queue.noteMore();
    expect(asked(queue)).toEqual([4, 1]);
    const started = queue.next(0) as DeliveryJob[];
    expect(asked(queue)).toEqual([0, 0]);
    queue.end(started, false, 10);
    expect(asked(queue, 10)).toEqual([10, 1]);
  });

  test('is nothing while its receiver asked for a pause, its failures are to be decided, or it is closed', () => {
    const queue = queueWith([]);
    queue.noteMore();
    queue.pauseUntil(5_000);
    expect([asked(queue, 0), asked(queue, 4_500)]).toEqual([
      [0, 0],
      [2, 2],
    ]);
    for (let count = 0; count < 5; count += 1) {
      queue.start([job(1)], 5_000);
      queue.end([job(1)], true, 5_000);
    }
    expect(asked(queue, 5_000)).toEqual([0, 0]);
    queue.setChannel({ ...channel, status: 'failing' });
    expect(asked(queue, 5_000)).toEqual([0, 0]);
    queue.setChannel(channel);
    expect(asked(queue, 5_000)).toEqual([2, 2]);
  });

  test('is one request where a second has room for no more', () => {
    const queue = queueWith([], { intervalMs: 900 });
    queue.noteMore();
    expect(asked(queue)).toEqual([2, 2]);
    const slow = queueWith([], { intervalMs: 1_000 });
    slow.noteMore();
    expect(asked(slow)).toEqual([1, 1]);
  });

  test('leaves half of the slots to first attempts', () => {
    const queue = queueWith([job(1, false), job(2, false), job(3, false)]);
    for (let count = 0; count < 8; count += 1) {
      queue.start([job(9)], 10);
      queue.end([job(9)], false, 10);
    }
    queue.noteMore();
    expect(asked(queue, 10)).toEqual([16, 1]);
  });
});

describe('nothing in memory waits for a claim that does not come', () => {
  test('what goes behind takes no room from the first attempts that it waits for', () => {
    const queue = queueWith([job(1, false), job(2, false)]);
    // Somebody said so while the claim that brought them was under way.
    queue.noteMore();
    expect(queue.next(0)).toBeUndefined();
    expect(asked(queue)).toEqual([2, 0]);
    const claim = queue.asks(0);
    queue.beginClaim(claim);
    queue.endClaim(claim, { first: 0, behind: 0 });
    expect(startAll(queue, 0)).toEqual([1, 2]);
  });

  test('it starts when the memory has no room for a claim', () => {
    const queue = queueWith([job(1, false)]);
    queue.noteMore();
    expect(queue.next(0, true)).toBeUndefined();
    expect(idsOf(queue.next(0, false))).toEqual([1]);
  });

  const steps = fc.array(
    fc.tuple(fc.constantFrom('note', 'claim', 'start', 'end', 'fail'), fc.nat(6), fc.nat(6)),
    {
      maxLength: 60,
    },
  );
  test('whatever happens, something starts, a claim is asked for, or a request is under way', () => {
    const run = (
      concurrency: number,
      digestFrom: number | undefined,
      taken: typeof steps extends fc.Arbitrary<infer T> ? T : never,
    ): void => {
      const digest = digestFrom === undefined ? {} : { digest: { from: digestFrom, max: 5 } };
      const queue = new ChannelQueue(channel, { ...limits, ...digest, concurrency, failingAfter: Infinity });
      const underWay: (readonly DeliveryJob[])[] = [];
      let count = 0;
      const doOne = (what: string, first: number, behind: number): void => {
        if (what === 'note') queue.noteMore();
        if (what === 'claim') {
          const claim = queue.asks(0);
          queue.beginClaim(claim);
          if (first % 2 === 0) queue.noteMore();
          const got = { first: Math.min(first, claim.first), behind: Math.min(behind, claim.behind) };
          for (let n = 0; n < got.first; n += 1) queue.push(job((count += 1)));
          for (let n = 0; n < got.behind; n += 1) queue.push(job((count += 1), false));
          queue.endClaim(claim, got);
        }
        const next = what === 'start' ? queue.next(0) : undefined;
        if (Array.isArray(next)) underWay.push(next as DeliveryJob[]);
        const ended = what === 'end' || what === 'fail' ? underWay.shift() : undefined;
        if (ended !== undefined) queue.end(ended, what === 'fail', 0);
      };
      for (const step of taken) {
        doOne(...step);
        if (queue.active > 0 || (queue.queued === 0 && !queue.mayHaveMore)) continue;
        const { first, behind } = queue.asks(0);
        if (first > 0 || (behind > 0 && queue.queued === 0)) continue;
        const next = queue.next(0);
        expect(Array.isArray(next)).toBe(true);
        underWay.push(next as DeliveryJob[]);
      }
    };
    fc.assert(fc.property(fc.integer({ min: 1, max: 8 }), fc.constantFrom(undefined, 1, 3), steps, run), {
      numRuns: 1_000,
    });
  });
});
