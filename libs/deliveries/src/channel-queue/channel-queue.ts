import { isOpen, type Channel } from '../channel-config.ts';
import type { DeliveryJob } from '../delivery-job.ts';

/** Timers come late; a throttle makes up for that much. */
const TIMER_SLACK_MS = 20;
/** Requests under way at once for a receiver that has not answered yet; every success allows one more. */
const UNPROVEN_CONCURRENCY = 2;
/** A receiver that owes answers and has given none for so long may be one that hangs. */
const SLOW_MS = 1_000;

export interface QueueLimits {
  /** Requests under way at once for one channel. */
  readonly concurrency: number;
  /** Jobs in memory for one channel; more wait in the database. */
  readonly queueMax: number;
  /** Consecutive failures after which nothing starts until the database has decided. */
  readonly failingAfter: number;
  /** Milliseconds between the starts of two requests, whatever the channel's own throttle. */
  readonly intervalMs: number;
  /** So many jobs may go in one request, once that many wait. */
  readonly digest?: { readonly from: number; readonly max: number };
}

/**
 * What one channel has in memory: first attempts in event order, retries behind them on at most half of the slots, so
 * that a retry never delays a newer first attempt.
 */
export class ChannelQueue {
  channel: Channel;
  /** Rows that wait in the database come before anything new. */
  hasBacklog = false;
  /** Decisions to hold new rows, by which a look at the backlog knows whether it saw all of them. */
  parkedCount = 0;
  parkingUnderWay = 0;
  active = 0;
  usedAtMs = 0;
  readonly #limits: QueueLimits;
  #fresh: DeliveryJob[] = [];
  #retries: DeliveryJob[] = [];
  #reserved = 0;
  #activeRetries = 0;
  #failures = 0;
  #nextStartMs = 0;
  #window: number;
  #lastSuccessMs = 0;
  /** Since when it owes answers without having given one. */
  #waitingSinceMs = 0;

  constructor(channel: Channel, limits: QueueLimits) {
    this.channel = channel;
    this.#limits = limits;
    this.#window = Math.min(UNPROVEN_CONCURRENCY, limits.concurrency);
  }

  /** A place for a job that is about to be inserted; false: it must wait in the database. */
  reserve(): boolean {
    if (!isOpen(this.channel) || this.hasBacklog || this.room <= 0) return false;
    this.#reserved += 1;
    return true;
  }

  unreserve(): void {
    this.#reserved -= 1;
  }

  get room(): number {
    return this.#limits.queueMax - this.#reserved - this.queued;
  }

  get queued(): number {
    return this.#fresh.length + this.#retries.length;
  }

  get isIdle(): boolean {
    return (
      this.active === 0 &&
      this.queued === 0 &&
      this.#reserved === 0 &&
      this.parkingUnderWay === 0 &&
      !this.hasBacklog
    );
  }

  /** Its receiver fails, hangs, or was never heard of: all such queues together may use part of the service's sockets only. */
  isSuspect(nowMs: number): boolean {
    const isSlow = this.active > 0 && nowMs - this.#waitingSinceMs > SLOW_MS;
    return this.#lastSuccessMs === 0 || isSlow || this.#failures > 0 || this.channel.consecutiveFailures > 0;
  }

  get isClean(): boolean {
    return this.channel.consecutiveFailures === 0 && this.channel.status === 'active' && this.#failures === 0;
  }

  push(job: DeliveryJob): void {
    const queue = job.isFirst ? this.#fresh : this.#retries;
    let position = queue.length;
    // Ids grow in event order; what comes back from the database may be older than what is here.
    if (job.isFirst) while (position > 0 && queue[position - 1]!.id > job.id) position -= 1;
    if (position === queue.length) queue.push(job);
    else queue.splice(position, 0, job);
  }

  /** The jobs of the next request that may start now; a number: none before that many milliseconds; undefined: none until something ends. */
  next(nowMs: number): readonly DeliveryJob[] | number | undefined {
    if (this.queued === 0 || this.active >= this.#window || this.#failures >= this.#limits.failingAfter)
      return undefined;
    if (nowMs < this.#nextStartMs) return this.#nextStartMs - nowMs;
    const jobs = this.#take();
    if (jobs.length === 0) return undefined;
    const intervalMs = this.#intervalMs;
    if (intervalMs > 0) this.#nextStartMs = Math.max(this.#nextStartMs, nowMs - TIMER_SLACK_MS) + intervalMs;
    this.start(jobs, nowMs);
    return jobs;
  }

  get #intervalMs(): number {
    const perSecond = this.channel.throttlePerSecond;
    return Math.max(this.#limits.intervalMs, perSecond === undefined ? 0 : 1_000 / perSecond);
  }

  #take(): readonly DeliveryJob[] {
    const { digest, concurrency } = this.#limits;
    if (digest !== undefined && this.#fresh.length >= digest.from) return this.#fresh.splice(0, digest.max);
    const mayRetry = this.#activeRetries < Math.max(1, concurrency / 2);
    const job = this.#fresh.shift() ?? (mayRetry ? this.#retries.shift() : undefined);
    return job === undefined ? [] : [job];
  }

  /** Nothing starts before that moment: the receiver asked for it. */
  pauseUntil(atMs: number): void {
    this.#nextStartMs = Math.max(this.#nextStartMs, atMs);
  }

  start([first]: readonly DeliveryJob[], nowMs: number): void {
    if (this.active === 0) this.#waitingSinceMs = nowMs;
    this.active += 1;
    if (!first!.isFirst) this.#activeRetries += 1;
  }

  /** `isFailure` undefined: it says nothing about the receiver. */
  end([first]: readonly DeliveryJob[], isFailure: boolean | undefined, nowMs: number): void {
    this.active -= 1;
    if (!first!.isFirst) this.#activeRetries -= 1;
    if (isFailure === undefined) return;
    this.#failures = isFailure ? this.#failures + 1 : 0;
    if (isFailure) this.#window = Math.min(UNPROVEN_CONCURRENCY, this.#window);
    else {
      this.#window = Math.min(this.#limits.concurrency, this.#window + 1);
      this.#lastSuccessMs = nowMs;
      this.#waitingSinceMs = nowMs;
    }
  }

  /** Takes over what the database says; gives back the jobs that must not start any more. */
  setChannel(channel: Channel): DeliveryJob[] {
    this.#failures = isOpen(this.channel) ? Math.min(this.#failures, channel.consecutiveFailures) : 0;
    this.channel = channel;
    if (isOpen(channel)) return [];
    return this.clear();
  }

  clear(): DeliveryJob[] {
    return this.drop(() => true);
  }

  /** Takes what has not started out of the queue. */
  drop(isDropped: (job: DeliveryJob) => boolean): DeliveryJob[] {
    const queued = [...this.#fresh, ...this.#retries];
    this.#fresh = this.#fresh.filter((job) => !isDropped(job));
    this.#retries = this.#retries.filter((job) => !isDropped(job));
    return queued.filter(isDropped);
  }

  jobs(): readonly DeliveryJob[] {
    return [...this.#fresh, ...this.#retries];
  }
}
