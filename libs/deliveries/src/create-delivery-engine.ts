import { setTimeout as delay } from 'node:timers/promises';
import { isUncounted, type Attempt, type FinishedAttempt } from './attempt.ts';
import { attemptDeliveries, type Senders } from './attempt-deliveries.ts';
import { isOpen, type Channel } from './channel-config.ts';
import { ChannelQueue } from './channel-queue/channel-queue.ts';
import { createChannelStore, type ChannelStore } from './channel-store.ts';
import { claimWork } from './claim/claim-work.ts';
import type { ChannelShares } from './channel-shares.ts';
import { createBatcher } from './create-batcher.ts';
import { createDeliveryStore, type DeliveryStore } from './queue/delivery-store.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryDependencies, DeliveryOptions } from './delivery-options.ts';
import { queueLimitsOf } from './channel-queue/queue-limits.ts';
import { createNatsPublisher } from './nats/create-nats-publisher.ts';
import { recordAttempts, type ChannelState } from './record/record-attempts.ts';
import { recordSuccesses } from './record/record-successes.ts';
import { createTelegramSender } from './telegram/create-telegram-sender.ts';

export interface DeliveryEngine {
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly queues: ReadonlyMap<string, ChannelQueue>;
  /** The queue of a channel, told what the channel is now. */
  queueOf(channel: Channel): ChannelQueue;
  /** How many more jobs of a queue fit into memory: beyond a few, queues share one half, so that slow ones leave room for others. */
  roomFor(queue: ChannelQueue): number;
  /** The same for rows that wait in the database: a part of it, for they wait well there, and memory is for what is new. */
  roomForBacklog(queue: ChannelQueue): number;
  /** How many more fit at most. */
  readonly room: number;
  has(deliveryId: string): boolean;
  /** Takes a job whose row is claimed; probes and tests start at once. */
  enqueue(job: DeliveryJob): void;
  /** Claims due work soon, without waiting for the next poll. */
  wake(): void;
  /** Gives back what waits for channels that another replica looks after now, and finds what waits for those that came. */
  changeShare(): Promise<void>;
  readonly members: Pick<ChannelShares, 'owns' | 'begin' | 'partitions'>;
  /** Stops taking work, gives queued jobs back, finishes attempts under way and their records. */
  stop(): Promise<void>;
}

const RECORD_BATCH_MAX = 500;
/** Statements under way at once that note successes: an outcome that waits here for the one before is lost with the process. */
const SUCCESS_WRITERS = 12;
/** Jobs that a queue may queue however full the others are. */
const QUEUED_ALWAYS = 64;
/** The same of what is taken from a backlog; a queue is filled up when half of them are gone. */
const BACKLOG_ALWAYS = 32;
/** Successes that the database has not stored yet, and a crash would repeat: beyond that, nothing new starts. */
const SUCCESSES_MAX = 500;
/** The same of failures, which a crash may repeat: many bad receivers fail at once, and the good ones do not wait for that. */
const FAILURES_MAX = 5_000;
/** Requests begun in one turn of the event loop: answers are heard in between, and their sockets used again. */
const STARTS_PER_TURN = 32;

/** Sends deliveries: queues per channel in memory, the deliveries table behind them. */
export function createDeliveryEngine(
  dependencies: DeliveryDependencies,
  options: DeliveryOptions,
  members: DeliveryEngine['members'],
): DeliveryEngine {
  const { db, planned, open, logger, random = Math.random, now = Date.now, onAttempt } = dependencies;
  const channels = createChannelStore(planned, open);
  const deliveries = createDeliveryStore(db, planned, options.visibilityMs);
  const nats = createNatsPublisher({ dial: dependencies.dial, idleMs: options.natsIdleMs });
  const telegram = createTelegramSender({ dispatcher: dependencies.dispatcher, ...options.telegram });
  const senders: Senders = { ...dependencies, nats, telegram };
  const queues = new Map<string, ChannelQueue>();
  /** What is queued or under way, by id, and when its row was last put out of the reach of others. */
  const known = new Map<string, { readonly job: DeliveryJob; leasedAtMs: number }>();
  const ready = new Set<ChannelQueue>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const successes = createBatcher<FinishedAttempt>(
    (finished) => record(finished, () => recordSuccesses(planned, finished)),
    RECORD_BATCH_MAX,
    { concurrency: SUCCESS_WRITERS },
  );
  const others = createBatcher<FinishedAttempt>(
    (finished) =>
      record(finished, async () =>
        applyStates(await recordAttempts(db, finished, { ...options, random, now })),
      ),
    RECORD_BATCH_MAX,
  );
  /** What is known was still ours for half of the visibility then. */
  let extendedAtMs = now();
  let bytes = 0;
  let suspects = 0;
  let isPumpQueued = false;
  let timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | undefined;

  function queueOf(channel: Channel): ChannelQueue {
    let queue = queues.get(channel.id);
    if (queue === undefined) {
      queue = new ChannelQueue(channel, queueLimitsOf(channel, options));
      queues.set(channel.id, queue);
      if (channel.fault !== undefined)
        logger.error(
          { channel_id: channel.id, reason: channel.fault },
          'a notification channel cannot be used',
        );
    } else if (queue.channel !== channel) changeQueue(queue, channel);
    queue.usedAtMs = now();
    return queue;
  }

  function changeQueue(queue: ChannelQueue, channel: Channel): void {
    const wasOpen = isOpen(queue.channel);
    for (const job of queue.setChannel(channel)) forget(job);
    if (wasOpen !== isOpen(channel)) queue.hasBacklog = isOpen(channel);
    if (queue.queued === 0) return;
    ready.add(queue);
    pump();
  }

  function dropQueue(channelId: string): void {
    for (const job of queues.get(channelId)?.clear() ?? []) forget(job);
    queues.delete(channelId);
  }

  function room(): number {
    return bytes >= options.queueBytes ? 0 : Math.max(0, options.queue - known.size);
  }

  function roomFor(queue: ChannelQueue): number {
    const shared = bytes >= options.queueBytes / 2 ? 0 : options.queue / 2 - known.size;
    return Math.min(room(), queue.room, Math.max(shared, QUEUED_ALWAYS - queue.queued));
  }

  function roomForBacklog(queue: ChannelQueue): number {
    const own = queue.queued <= BACKLOG_ALWAYS / 2 ? BACKLOG_ALWAYS - queue.queued : 0;
    return Math.min(roomFor(queue), Math.max(options.queue / 4 - known.size, own));
  }

  function forget(job: DeliveryJob): void {
    if (known.delete(job.id)) bytes -= job.payload.length;
  }

  /** Those that have half of their time left at most: what is sent and recorded in time is not written once more. */
  async function extendLeases(): Promise<void> {
    const atMs = now();
    const old = [...known.values()].filter(({ leasedAtMs }) => atMs - leasedAtMs > options.visibilityMs / 2);
    await deliveries.extend(old.map(({ job }) => job.id));
    for (const one of old) one.leasedAtMs = atMs;
    extendedAtMs = atMs;
  }

  /** After a standstill of this process, or of the database, others may have what waits here: it is taken anew from the table. */
  function dropExpired(): void {
    const atMs = now();
    if (atMs - extendedAtMs < options.visibilityMs / 2) return;
    const isExpired = (job: DeliveryJob): boolean =>
      atMs - (known.get(job.id)?.leasedAtMs ?? 0) >= options.visibilityMs;
    for (const queue of queues.values()) queue.drop(isExpired).forEach(forget);
  }

  function enqueue(job: DeliveryJob): void {
    const queue = queues.get(job.channelId);
    if (queue === undefined || known.has(job.id) || stopping.signal.aborted) return;
    known.set(job.id, { job, leasedAtMs: now() });
    bytes += job.payload.length;
    if (job.isProbe || job.isTest) return start(queue, job);
    queue.push(job);
    ready.add(queue);
    pump();
  }

  function pump(): void {
    if (isPumpQueued) return;
    dropExpired();
    let soonestMs = Infinity;
    let begun = 0;
    for (const queue of ready) {
      if (isSaturated()) return;
      if (begun === STARTS_PER_TURN) return pumpNextTurn();
      if (queue.isSuspect(now()) && suspects >= options.concurrency / 2) continue;
      const next = queue.channel.fault === undefined ? queue.next(now()) : undefined;
      if (typeof next !== 'number') ready.delete(queue);
      if (typeof next === 'number') soonestMs = Math.min(soonestMs, next);
      else if (next !== undefined) {
        // Behind the others: queues take turns.
        ready.add(queue);
        begin(queue, next);
        begun += 1;
      }
    }
    if (soonestMs !== Infinity) pumpAt(now() + soonestMs);
  }

  function pumpNextTurn(): void {
    isPumpQueued = true;
    setImmediate(() => {
      isPumpQueued = false;
      pump();
    });
  }

  function pumpAt(atMs: number): void {
    if (timer !== undefined && timer.atMs <= atMs) return;
    clearTimeout(timer?.handle);
    const handle = setTimeout(
      () => {
        timer = undefined;
        pump();
      },
      Math.max(1, atMs - now()),
    );
    timer = { atMs, handle };
  }

  function isSaturated(): boolean {
    return (
      stopping.signal.aborted ||
      underWay.size >= options.concurrency ||
      successes.size >= SUCCESSES_MAX ||
      others.size >= FAILURES_MAX
    );
  }

  function start(queue: ChannelQueue, job: DeliveryJob): void {
    queue.start([job], now());
    begin(queue, [job]);
  }

  function begin(queue: ChannelQueue, jobs: readonly DeliveryJob[]): void {
    const isSuspect = queue.isSuspect(now());
    if (isSuspect) suspects += 1;
    const work = run(queue, jobs, queue.isClean).finally(() => {
      if (isSuspect) suspects -= 1;
      underWay.delete(work);
      ready.add(queue);
      pump();
      if (queue.hasBacklog && queue.queued < options.queuePerChannel / 4 && roomForBacklog(queue) > 0)
        claims.wake();
    });
    underWay.add(work);
  }

  async function run(queue: ChannelQueue, jobs: readonly DeliveryJob[], wasClean: boolean): Promise<void> {
    const attempts = await attemptDeliveries(senders, queue.channel, jobs, options.attemptTimeoutMs);
    const [first] = attempts;
    queue.end(
      jobs,
      isUncounted(first!) || jobs[0]!.isTest ? undefined : first!.errorCode !== undefined,
      now(),
    );
    if (first!.errorCode === 'rate_limited') pause(queue, first!);
    onAttempt?.(first!);
    // The slot is free already; the record goes its own way, and the row is taken until it is written.
    const isChannelClean = wasClean && queue.isClean;
    const recorder = isChannelClean && first!.errorCode === undefined ? successes : others;
    for (const [index, job] of jobs.entries())
      void recorder.add({ job, attempt: attempts[index]!, isChannelClean });
  }

  /** A bot's limit is one over all its chats. */
  function pause({ channel }: ChannelQueue, { retryAfterMs = 1_000 }: Attempt): void {
    for (const queue of queues.values()) {
      const isSameBot =
        queue.channel.target.kind === 'telegram' &&
        channel.target.kind === 'telegram' &&
        queue.channel.target.botToken === channel.target.botToken;
      if (queue.channel.id === channel.id || isSameBot) queue.pauseUntil(now() + retryAfterMs);
    }
  }

  /** Goes on until the database took it: what was sent is never forgotten while the process lives. */
  async function record(finished: readonly FinishedAttempt[], write: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        await write();
        break;
      } catch (error) {
        logger.error(
          { error: String(error), attempt_count: finished.length },
          'attempts could not be recorded, they are recorded again',
        );
        if (stopping.signal.aborted && failures >= 20) break;
        await delay(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    for (const { job } of finished) forget(job);
    pump();
    // Shown to customers only; a note that is lost is made a minute later.
    channels.markUsed(finished.map(({ job }) => job.channelId)).catch(() => undefined);
  }

  function applyStates(states: ReadonlyMap<string, ChannelState>): void {
    for (const state of states.values()) {
      const queue = queues.get(state.id);
      if (queue === undefined) continue;
      const { status, isArchived, consecutiveFailures } = state;
      if (status !== queue.channel.status)
        logger.warn(
          { channel_id: state.id, status, reason: state.failureReason },
          'a notification channel changed its status',
        );
      changeQueue(queue, { ...queue.channel, status, isArchived, consecutiveFailures });
    }
    if (states.size > 0) claims.wake();
  }

  const engine = {
    channels,
    deliveries,
    queues,
    queueOf,
    roomFor,
    roomForBacklog,
    get room() {
      return room();
    },
    has: (id: string) => known.has(id),
    enqueue,
    wake: () => claims.wake(),
    members,
    async changeShare() {
      members.begin();
      const foreign = [...queues].filter(([id]) => !members.owns(id)).flatMap(([, queue]) => queue.clear());
      foreign.forEach(forget);
      await deliveries.giveBack(
        foreign.map(({ id }) => id),
        0,
      );
      await claims.findBacklogs();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer?.handle);
      await claims.stop();
      const queued = [...queues.values()].flatMap((queue) => queue.clear());
      await deliveries
        .giveBack(
          queued.map(({ id }) => id),
          0,
        )
        .catch(() => undefined);
      queued.forEach(forget);
      await Promise.all(underWay);
      await Promise.all([successes.drain(), others.drain()]);
      await nats.close();
    },
  };
  const claims = claimWork({ engine, options, logger, now, extendLeases, dropQueue });
  return engine;
}
