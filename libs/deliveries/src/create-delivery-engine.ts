import { setTimeout as delay } from 'node:timers/promises';
import { attemptDelivery } from './attempt-delivery.ts';
import { isOpen, type Channel } from './channel-config.ts';
import { ChannelLane } from './channel-lane.ts';
import { createChannelStore, type ChannelStore } from './channel-store.ts';
import { claimWork } from './claim-work.ts';
import { createBatcher } from './create-batcher.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryDependencies, DeliveryOptions } from './delivery-options.ts';
import { recordAttempts, type ChannelState, type FinishedAttempt } from './record-attempts.ts';

export interface DeliveryEngine {
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly lanes: ReadonlyMap<string, ChannelLane>;
  /** The lane of a channel, told what the channel is now. */
  laneOf(channel: Channel): ChannelLane;
  /** How many more jobs of a lane fit into memory: beyond a few, lanes share one half, so that slow ones leave room for others. */
  roomFor(lane: ChannelLane): number;
  /** How many more fit at most. */
  readonly room: number;
  has(deliveryId: string): boolean;
  /** Takes a job whose row is claimed; a probe starts at once. */
  enqueue(job: DeliveryJob): void;
  /** Claims due work soon, without waiting for the next poll. */
  wake(): void;
  /** Stops taking work, gives queued jobs back, finishes attempts under way and their records. */
  stop(): Promise<void>;
}

const RECORD_BATCH_MAX = 500;
/** Jobs that a lane may queue however full the others are. */
const QUEUED_ALWAYS = 64;
/** Attempts that the database has not stored yet: beyond that, nothing new starts. */
const UNRECORDED_MAX = 5_000;

/** Sends deliveries: lanes per channel in memory, the deliveries table behind them. */
export function createDeliveryEngine(dependencies: DeliveryDependencies, options: DeliveryOptions): DeliveryEngine {
  const { db, open, logger, random = Math.random, now = Date.now, onAttempt } = dependencies;
  const channels = createChannelStore(db, open);
  const deliveries = createDeliveryStore(db, options.visibilityMs);
  const limits = { concurrency: options.concurrencyPerChannel, queueMax: options.queuePerChannel, failingAfter: options.failingAfter };
  const lanes = new Map<string, ChannelLane>();
  /** Ids queued or under way. */
  const known = new Map<string, DeliveryJob>();
  const ready = new Set<ChannelLane>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const recorder = createBatcher<FinishedAttempt>(record, RECORD_BATCH_MAX);
  let bytes = 0;
  let suspects = 0;
  let timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | undefined;

  function laneOf(channel: Channel): ChannelLane {
    let lane = lanes.get(channel.id);
    if (lane === undefined) {
      lane = new ChannelLane(channel, limits);
      lanes.set(channel.id, lane);
      if (channel.fault !== undefined) logger.error({ channel_id: channel.id, reason: channel.fault }, 'a notification channel cannot be used');
    } else if (lane.channel !== channel) changeLane(lane, channel);
    lane.usedAtMs = now();
    return lane;
  }

  function changeLane(lane: ChannelLane, channel: Channel): void {
    const wasOpen = isOpen(lane.channel);
    for (const job of lane.setChannel(channel)) forget(job);
    if (wasOpen !== isOpen(channel)) lane.hasBacklog = isOpen(channel);
    if (lane.queued === 0) return;
    ready.add(lane);
    pump();
  }

  function dropLane(channelId: string): void {
    for (const job of lanes.get(channelId)?.clear() ?? []) forget(job);
    lanes.delete(channelId);
  }

  function room(): number {
    return bytes >= options.queueBytes ? 0 : Math.max(0, options.queue - known.size);
  }

  function roomFor(lane: ChannelLane): number {
    const shared = bytes >= options.queueBytes / 2 ? 0 : options.queue / 2 - known.size;
    return Math.min(room(), lane.room, Math.max(shared, QUEUED_ALWAYS - lane.queued));
  }

  function forget(job: DeliveryJob): void {
    if (known.delete(job.id)) bytes -= job.payload.length;
  }

  function enqueue(job: DeliveryJob): void {
    const lane = lanes.get(job.channelId);
    if (lane === undefined || known.has(job.id) || stopping.signal.aborted) return;
    known.set(job.id, job);
    bytes += job.payload.length;
    if (job.isProbe) return start(lane, job);
    lane.push(job);
    ready.add(lane);
    pump();
  }

  function pump(): void {
    let soonestMs = Infinity;
    for (let isProgress = true; isProgress && !isSaturated(); ) {
      isProgress = false;
      for (const lane of ready) {
        if (isSaturated()) return;
        if (lane.isSuspect && suspects >= options.concurrency / 2) continue;
        const next = lane.channel.fault === undefined ? lane.next(now()) : undefined;
        if (next === undefined) ready.delete(lane);
        else if (typeof next === 'number') soonestMs = Math.min(soonestMs, next);
        else {
          begin(lane, next);
          isProgress = true;
        }
      }
    }
    if (soonestMs !== Infinity) pumpAt(now() + soonestMs);
  }

  function pumpAt(atMs: number): void {
    if (timer !== undefined && timer.atMs <= atMs) return;
    clearTimeout(timer?.handle);
    const handle = setTimeout(() => {
      timer = undefined;
      pump();
    }, Math.max(1, atMs - now()));
    timer = { atMs, handle };
  }

  function isSaturated(): boolean {
    return stopping.signal.aborted || underWay.size >= options.concurrency || recorder.size >= UNRECORDED_MAX;
  }

  function start(lane: ChannelLane, job: DeliveryJob): void {
    lane.start(job);
    begin(lane, job);
  }

  function begin(lane: ChannelLane, job: DeliveryJob): void {
    const isSuspect = lane.isSuspect;
    if (isSuspect) suspects += 1;
    const work = run(lane, job, lane.isClean).finally(() => {
      if (isSuspect) suspects -= 1;
      underWay.delete(work);
      ready.add(lane);
      pump();
      if (lane.hasBacklog && lane.queued < options.queuePerChannel / 4) claims.wake();
    });
    underWay.add(work);
  }

  async function run(lane: ChannelLane, job: DeliveryJob, isChannelClean: boolean): Promise<void> {
    const attempt = await attemptDelivery(dependencies, lane.channel, job, options.attemptTimeoutMs);
    const isFailure = attempt.errorCode === 'internal_error' ? undefined : attempt.errorCode !== undefined;
    lane.end(job, isFailure);
    onAttempt?.(attempt);
    // The slot is free already; the record goes its own way, and the row is taken until it is written.
    void recorder.add({ job, attempt, isChannelClean: isChannelClean && lane.isClean });
  }

  /** Goes on until the database took it: what was sent is never forgotten while the process lives. */
  async function record(finished: readonly FinishedAttempt[]): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        applyStates(await recordAttempts(db, finished, { ...options, random, now }));
        break;
      } catch (error) {
        logger.error({ error: String(error), attempt_count: finished.length }, 'attempts could not be recorded, they are recorded again');
        if (stopping.signal.aborted && failures >= 20) break;
        await delay(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    for (const { job } of finished) forget(job);
    pump();
    // Shown to customers only; a note that is lost is made a minute later.
    await channels.markUsed(finished.map(({ job }) => job.channelId)).catch(() => undefined);
  }

  function applyStates(states: ReadonlyMap<string, ChannelState>): void {
    for (const state of states.values()) {
      const lane = lanes.get(state.id);
      if (lane === undefined) continue;
      const { status, isArchived, consecutiveFailures } = state;
      if (status !== lane.channel.status) logger.warn({ channel_id: state.id, status, reason: state.failureReason }, 'a notification channel changed its status');
      changeLane(lane, { ...lane.channel, status, isArchived, consecutiveFailures });
    }
    if (states.size > 0) claims.wake();
  }

  const engine = {
    channels,
    deliveries,
    lanes,
    laneOf,
    roomFor,
    get room() {
      return room();
    },
    has: (id: string) => known.has(id),
    enqueue,
    wake: () => claims.wake(),
    async stop() {
      stopping.abort();
      clearTimeout(timer?.handle);
      await claims.stop();
      const queued = [...lanes.values()].flatMap((lane) => lane.clear());
      await deliveries.giveBack(queued.map(({ id }) => id), 0).catch(() => undefined);
      queued.forEach(forget);
      await Promise.all(underWay);
      await recorder.drain();
    },
  };
  const claims = claimWork({ engine, options, logger, now, ids: () => [...known.keys()], dropLane });
  return engine;
}
