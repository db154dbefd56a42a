// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { Logger } from '@chainwatch/platform/telemetry';
import { isOpen, type Channel } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import { ChannelQueue, queueLimitsOf, type Pace } from './channel-queue.ts';

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
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

/** Groups of channels that share a pace, at most; one that is pushed out is paced anew. */
const PACES_MAX = 10_000;

/** The queues of all channels that had work lately, and the memory that they share. */
export class ChannelQueues implements Iterable<ChannelQueue> {
  readonly #deps: ChannelQueuesDeps;
  readonly #queues = new Map<string, ChannelQueue>();
  readonly #paces = new LRUCache<string, Pace>({ max: PACES_MAX });
  /** Queues for which the table may have rows, the next one in turn first. */
  readonly hungry = new Set<ChannelQueue>();
  /** Ids of channels that were closed: their deliveries are to be held. */
  readonly closed = new Set<string>();
  #listener: QueueListener | undefined;
  #count = 0;
  #bytes = 0;

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
        logger.error({ channel_id: channel.id, reason: channel.fault }, 'failed to use notification channel');
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
    if (isOpen(queue.channel) && !isOpen(channel)) this.closed.add(channel.id);
    this.forget(queue.setChannel(channel, limits, pace));
    if (queue.mayHaveMore) this.hungry.add(queue);
    this.tellReady(queue);
  }

  /** Somebody says that the table may have rows for it. */
  noteMore(queue: ChannelQueue): void {
    queue.noteMore();
    this.hungry.add(queue);
  }

  tellReady(queue: ChannelQueue): void {
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
    const queue = this.#queues.get(channelId);
    if (queue === undefined) return;
    this.clear(queue);
    this.#queues.delete(channelId);
  }

  /** Lets go what has not started. */
  clear(queue: ChannelQueue): void {
    this.hungry.delete(queue);
    this.forget(queue.clear());
  }

  /** These are on record, or not in memory any more. */
  forget(jobs: readonly DeliveryJob[]): void {
    for (const { id, channelId, payload } of jobs) {
      if (this.#queues.get(channelId)?.ids.delete(id) !== true) continue;
      this.#count -= 1;
      this.#bytes -= payload.length;
    }
  }

  /** Takes a job that the table has. Whoever brought all of them says so (`tellReady`): they may go in one request. */
  enqueue(job: DeliveryJob): void {
    const queue = this.#queues.get(job.channelId);
    if (queue === undefined || queue.ids.has(job.id)) return;
    queue.ids.add(job.id);
    this.#count += 1;
    this.#bytes += job.payload.length;
    if (job.isProbe || job.isTest) return this.#listener?.onUrgent(queue, job);
    queue.push(job);
  }

  /** Whether a claim may bring it jobs. Receivers that may not answer fill half of the memory at most. */
  mayClaim(queue: ChannelQueue): boolean {
    const { options, now } = this.#deps;
    return this.room > (queue.isSuspect(now()) ? options.queue / 2 : 0);
  }

  /** How many more jobs fit at most. */
  get room(): number {
    const { options } = this.#deps;
    return this.#bytes >= options.queueBytes ? 0 : Math.max(0, options.queue - this.#count);
  }
}
