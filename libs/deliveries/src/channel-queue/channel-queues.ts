import { LRUCache } from 'lru-cache';
import type { Logger } from '@chainwatch/telemetry';
import { type Channel, isOpen } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import { ChannelQueue, type Pace } from './channel-queue.ts';
import type { JobsInMemory } from './jobs-in-memory.ts';
import { queueLimitsOf } from './queue-limits.ts';

/** Whoever starts attempts. */
export interface QueueListener {
  /** The queue may have something to start. */
  onReady(queue: ChannelQueue): void;
  /** A probe or a test: it starts at once, whatever else waits. */
  onUrgent(queue: ChannelQueue, job: DeliveryJob): void;
}

export interface ChannelUpdate extends Pick<Channel, 'id' | 'status' | 'isArchived' | 'consecutiveFailures'> {
  readonly failureReason: string | null;
}

export interface ChannelQueuesDeps {
  readonly jobs: JobsInMemory;
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

/** Jobs that a queue may always hold, however full the others are. */
const QUEUED_ALWAYS = 64;
/** The same for jobs taken from a backlog; a queue is refilled when half of them are gone. */
const BACKLOG_ALWAYS = 32;

/** Groups of channels that share a pace, at most; one that is pushed out is paced anew. */
const PACES_MAX = 10_000;

/** The queues of all channels that had work lately, and the memory that they share. */
export class ChannelQueues implements Iterable<ChannelQueue> {
  readonly #deps: ChannelQueuesDeps;
  readonly #queues = new Map<string, ChannelQueue>();
  readonly #paces = new LRUCache<string, Pace>({ max: PACES_MAX });
  #listener: QueueListener | undefined;
  #isClosed = false;

  constructor(deps: ChannelQueuesDeps) {
    this.#deps = deps;
  }

  listen(listener: QueueListener): void {
    this.#listener = listener;
  }

  [Symbol.iterator](): Iterator<ChannelQueue> {
    return this.#queues.values();
  }

  find(channelId: string): ChannelQueue | undefined {
    return this.#queues.get(channelId);
  }

  /** The queue of a channel. The queue takes over the channel's present state. */
  of(channel: Channel): ChannelQueue {
    const { options, logger, now } = this.#deps;
    let queue = this.#queues.get(channel.id);
    if (queue === undefined) {
      queue = new ChannelQueue(channel, queueLimitsOf(channel, options), this.#paceOf(channel));
      this.#queues.set(channel.id, queue);
      if (channel.fault !== undefined)
        logger.error(
          { channel_id: channel.id, reason: channel.fault },
          'a notification channel could not be used',
        );
    } else if (queue.channel !== channel) this.#change(queue, channel);
    queue.noteUse(now());
    return queue;
  }

  /** Recording attempts has changed the state of a channel. */
  update({ id, status, isArchived, consecutiveFailures, failureReason }: ChannelUpdate): void {
    const queue = this.#queues.get(id);
    if (queue === undefined) return;
    if (status !== queue.channel.status)
      this.#deps.logger.warn(
        { channel_id: id, status, reason: failureReason },
        'a notification channel changed its status',
      );
    this.#change(queue, { ...queue.channel, status, isArchived, consecutiveFailures });
  }

  #change(queue: ChannelQueue, channel: Channel): void {
    const limits = queueLimitsOf(channel, this.#deps.options);
    const pace = channel.pauseGroup === queue.channel.pauseGroup ? undefined : this.#paceOf(channel);
    this.forget(queue.setChannel(channel, limits, pace));
    if (queue.queued > 0) this.#listener?.onReady(queue);
  }

  /** Nothing that shares the channel's limit starts before `untilMs`, as its receiver asked. */
  pause(channel: Channel, untilMs: number): void {
    this.#queues.get(channel.id)?.pauseUntil(untilMs);
  }

  #paceOf({ kind, pauseGroup }: Channel): Pace {
    const alone = { nextStartMs: 0 };
    if (kind === undefined || pauseGroup === undefined) return alone;
    const group = `${kind.kind} ${pauseGroup}`;
    const pace = this.#paces.get(group) ?? alone;
    this.#paces.set(group, pace);
    return pace;
  }

  drop(channelId: string): void {
    this.forget(this.#queues.get(channelId)?.clear() ?? []);
    this.#queues.delete(channelId);
  }

  /**
   * Removes the jobs that have not started. Returns their ids; their rows are still claimed by this replica.
   */
  clear(isCleared: (queue: ChannelQueue) => boolean): string[] {
    const jobs = [...this.#queues.values()].filter(isCleared).flatMap((queue) => queue.clear());
    this.forget(jobs);
    return jobs.map(({ id }) => id);
  }

  forget(jobs: readonly DeliveryJob[]): void {
    for (const job of jobs) this.#deps.jobs.forget(job);
  }

  has(deliveryId: string): boolean {
    return this.#deps.jobs.has(deliveryId);
  }

  /** Whether the job's row is being stored, and handed on then. */
  isArriving({ id, channelId }: Pick<DeliveryJob, 'id' | 'channelId'>): boolean {
    return this.#queues.get(channelId)?.isArriving(id) ?? false;
  }

  /** Takes a job whose row this replica has claimed. */
  enqueue(job: DeliveryJob): void {
    const queue = this.#queues.get(job.channelId);
    if (queue === undefined || this.has(job.id) || this.#isClosed) return;
    this.#deps.jobs.add(job, this.#deps.now());
    if (job.isProbe || job.isTest) return this.#listener?.onUrgent(queue, job);
    queue.push(job);
    this.#listener?.onReady(queue);
  }

  /** Nothing is enqueued from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** How many more jobs fit at most. */
  get room(): number {
    const { jobs, options } = this.#deps;
    return jobs.bytes >= options.queueBytes ? 0 : Math.max(0, options.queue - jobs.count);
  }

  /**
   * How many more jobs of one channel fit. Beyond a few jobs each, queues may fill only half of the memory,
   * so that slow ones leave room for others.
   */
  roomFor(queue: ChannelQueue): number {
    const { jobs, options } = this.#deps;
    const shared = jobs.bytes >= options.queueBytes / 2 ? 0 : options.queue / 2 - jobs.count;
    return Math.min(this.room, queue.room, Math.max(shared, QUEUED_ALWAYS - queue.queued));
  }

  /** How many new jobs may go straight into the queue, before the database is asked for more. */
  roomForNew(queue: ChannelQueue): number {
    if (!isOpen(queue.channel) || queue.hasBacklog || this.roomFor(queue) <= 0) return 0;
    return queue.room;
  }

  /**
   * The same for parked rows. They get only a part of the room: they can wait in the database, and memory is
   * for new jobs.
   */
  roomForBacklog(queue: ChannelQueue): number {
    const { jobs, options } = this.#deps;
    const own = queue.queued <= BACKLOG_ALWAYS / 2 ? BACKLOG_ALWAYS - queue.queued : 0;
    return Math.min(this.roomFor(queue), Math.max(options.queue / 4 - jobs.count, own));
  }

  /** True when the queue runs low and the channel has more rows parked, or it is empty and history waits. */
  needsRefill(queue: ChannelQueue): boolean {
    if (queue.needsHistory) return true;
    const isLow = queue.queued < this.#deps.options.queuePerChannel / 4;
    return queue.hasBacklog && isLow && this.roomForBacklog(queue) > 0;
  }
}
