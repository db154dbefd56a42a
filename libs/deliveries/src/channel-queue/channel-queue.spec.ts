import type { Channel } from '../channel-config.ts';
import { ChannelQueue, type QueueLimits } from './channel-queue.ts';
import type { DeliveryJob } from '../delivery-job.ts';

const channel: Channel = {
  id: 'c',
  projectId: 'p',
  status: 'active',
  isArchived: false,
  consecutiveFailures: 0,
  eventTypes: new Set(),
  filters: {},
  throttlePerSecond: undefined,
  fault: undefined,
  target: { kind: 'nats', url: '', subject: '', auth: { type: 'none' } },
};
const limits: QueueLimits = { concurrency: 8, queueMax: 100, failingAfter: 5, intervalMs: 0 };

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
  // It owes eight answers, and has given none for more than a second.
  expect(queue.isSuspect(1_100)).toBe(true);
  queue.end([jobs[0]!], true, 1_200);
  expect(startAll(queue, 1_200)).toHaveLength(0);
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
