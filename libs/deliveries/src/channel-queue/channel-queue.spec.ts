import fc from 'fast-check';
import type { Channel } from '../channel-store.ts';
import { ChannelQueue, type BacklogLook, type QueueLimits } from './channel-queue.ts';
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
  kind: undefined,
  target: undefined,
  pauseGroup: undefined,
};
const limits: QueueLimits = {
  concurrency: 8,
  queueMax: 100,
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

describe('the backlog', () => {
  const look = { hasBacklog: true, afterLook: false };
  test.each<{ name: string; act: (queue: ChannelQueue) => void; hasBacklog: boolean; afterLook: boolean }>([
    { name: 'nothing was ever parked', act: () => undefined, hasBacklog: false, afterLook: false },
    { name: 'rows were found', act: (queue) => queue.findBacklog(), ...look },
    {
      name: 'a row was parked',
      act: (queue) => {
        queue.park('1');
        queue.parked('1');
      },
      ...look,
    },
    { name: 'a row is on its way', act: (queue) => queue.park('1'), hasBacklog: true, afterLook: true },
    {
      name: 'a row is on its way to a closed channel',
      act: (queue) => {
        queue.setChannel({ ...channel, status: 'failing' });
        queue.park('1');
      },
      hasBacklog: false,
      afterLook: false,
    },
    {
      name: 'the channel opens',
      act: (queue) => {
        queue.setChannel({ ...channel, isArchived: true });
        queue.setChannel(channel);
      },
      ...look,
    },
    {
      name: 'the channel closes',
      act: (queue) => {
        queue.findBacklog();
        queue.setChannel({ ...channel, status: 'failed' });
      },
      hasBacklog: false,
      afterLook: false,
    },
    {
      name: 'another replica looks after it',
      act: (queue) => {
        queue.findBacklog();
        queue.leaveBacklog();
      },
      hasBacklog: false,
      afterLook: false,
    },
  ])('$name', ({ act, hasBacklog, afterLook }) => {
    const queue = queueWith([]);
    act(queue);
    expect(queue.hasBacklog).toBe(hasBacklog);
    expect(queue.reserve('9')).toBe(!hasBacklog && queue.channel.status === 'active');
    if (!hasBacklog) return;
    queue.endLook(queue.beginLook());
    expect(queue.hasBacklog).toBe(afterLook);
  });

  test.each<{ name: string; meanwhile: (queue: ChannelQueue) => void }>([
    { name: 'is being parked', meanwhile: (queue) => queue.park('2') },
    {
      name: 'was parked',
      meanwhile: (queue) => {
        queue.park('2');
        queue.parked('2');
      },
    },
    { name: 'was found', meanwhile: (queue) => queue.findBacklog() },
  ])('is not empty when something $name since the look began', ({ meanwhile }) => {
    const queue = queueWith([]);
    queue.findBacklog();
    const begun = queue.beginLook();
    meanwhile(queue);
    queue.endLook(begun);
    expect(queue.hasBacklog).toBe(true);
  });

  test('brings every delivery once and in order, however plans, commits, looks and starts interleave', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Step>(...STEPS), { maxLength: 60, size: 'max' }),
        fc.nat(),
        (steps, seed) => {
          const model = new Model(seed);
          for (const step of steps) model.do(step);
          model.finish();
          expect(model.sent).toEqual(model.planned);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

type Step = 'plan' | 'commit' | 'settle' | 'begin' | 'claim' | 'end' | 'find' | 'start' | 'arrive' | 'look';
const STEPS = [
  'plan',
  'commit',
  'settle',
  'begin',
  'claim',
  'end',
  'find',
  'start',
  'arrive',
  'look',
] as const;

/** The queue of one channel, the table behind it, and writers that commit in any order. */
class Model {
  readonly queue = queueWith([], { queueMax: 2, concurrency: 1 });
  readonly planned: number[] = [];
  readonly sent: number[] = [];
  readonly #table = new Set<number>();
  /** In the order in which they are settled. */
  readonly #writing: { id: number; isStraight: boolean; isCommitted: boolean }[] = [];
  #look: { readonly begun: BacklogLook; readonly limit: number; claimed?: number[] } | undefined;
  #random: number;

  constructor(seed: number) {
    this.#random = seed;
  }

  do(step: Step): void {
    const { queue } = this;
    if (step === 'arrive') for (const part of ['commit', 'settle'] as const) this.do(part);
    if (step === 'look') for (const part of ['begin', 'claim', 'end'] as const) this.do(part);
    if (step === 'plan') this.#plan();
    if (step === 'commit') this.#commit();
    if (step === 'settle' && this.#writing[0]?.isCommitted === true) this.#settle();
    if (step === 'begin' && queue.hasBacklog && queue.room > 0)
      this.#look ??= { begun: queue.beginLook(), limit: queue.room };
    if (step === 'claim' && this.#look !== undefined) this.#look.claimed ??= this.#claim(this.#look);
    if (step === 'end' && this.#look?.claimed !== undefined) this.#end(this.#look);
    if (step === 'find' && this.#table.size > 0) queue.findBacklog();
    if (step === 'start') this.#start();
    const isParking = this.#writing.some(({ isStraight }) => !isStraight);
    if (!queue.hasBacklog && (isParking || this.#table.size > 0))
      throw new Error(`expected a backlog after ${step}: rows are parked`);
  }

  /** Runs until everything is sent and the queue is idle. */
  finish(): void {
    for (let rounds = 0; this.sent.length < this.planned.length && rounds < 200; rounds += 1)
      for (const step of ['arrive', 'look', 'start'] as const) this.do(step);
    for (const step of ['end', 'look', 'look'] as const) this.do(step);
    expect([this.queue.hasBacklog, this.queue.isIdle]).toEqual([false, true]);
  }

  #plan(): void {
    const id = this.planned.length + 1;
    this.planned.push(id);
    const isStraight = this.queue.reserve(job(id).id);
    if (!isStraight) this.queue.park(job(id).id);
    this.#writing.push({ id, isStraight, isCommitted: false });
  }

  /** Commits any of those under way, because batches overlap. */
  #commit(): void {
    const open = this.#writing.filter(({ isCommitted }) => !isCommitted);
    if (open.length === 0) return;
    this.#random = (this.#random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const one = open[this.#random % open.length]!;
    one.isCommitted = true;
    if (!one.isStraight) this.#table.add(one.id);
  }

  #settle(): void {
    const { id, isStraight } = this.#writing.shift()!;
    if (!isStraight) return this.queue.parked(job(id).id);
    this.queue.unreserve(job(id).id);
    this.queue.push(job(id));
  }

  #claim({ begun: { beforeId }, limit }: { begun: BacklogLook; limit: number }): number[] {
    const seen = [...this.#table].filter((id) => beforeId === undefined || job(id).id < beforeId);
    const claimed = seen.sort((left, right) => left - right).slice(0, limit);
    for (const id of claimed) this.#table.delete(id);
    return claimed;
  }

  #end({ begun, limit, claimed = [] }: { begun: BacklogLook; limit: number; claimed?: number[] }): void {
    for (const id of claimed) this.queue.push(job(id));
    if (claimed.length < limit) this.queue.endLook(begun);
    this.#look = undefined;
  }

  #start(): void {
    const next = this.queue.next(0);
    if (!Array.isArray(next)) return;
    this.sent.push(...(idsOf(next) as number[]));
    this.queue.end(next as DeliveryJob[], false, 0);
  }
}
