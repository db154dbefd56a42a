import { isOpen, type Channel } from './channel-config.ts';
import type { DeliveryJob } from './delivery-job.ts';

/** Timers come late; a throttle makes up for that much. */
const TIMER_SLACK_MS = 20;

export interface LaneLimits {
  /** Requests under way at once for one channel. */
  readonly concurrency: number;
  /** Jobs in memory for one channel; more wait in the database. */
  readonly queueMax: number;
  /** Consecutive failures after which nothing starts until the database has decided. */
  readonly failingAfter: number;
}

/**
 * What one channel has in memory: first attempts in event order, retries behind them on at most half of the slots, so
 * that a retry never delays a newer first attempt.
 */
export class ChannelLane {
  channel: Channel;
  /** Rows that wait in the database come before anything new. */
  hasBacklog = false;
  /** Decisions to hold new rows, by which a look at the backlog knows whether it saw all of them. */
  heldCount = 0;
  heldUnderWay = 0;
  active = 0;
  usedAtMs = 0;
  readonly #limits: LaneLimits;
  #fresh: DeliveryJob[] = [];
  #retries: DeliveryJob[] = [];
  #reserved = 0;
  #activeRetries = 0;
  #failures = 0;
  #nextStartMs = 0;

  constructor(channel: Channel, limits: LaneLimits) {
    this.channel = channel;
    this.#limits = limits;
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
    return this.#limits.queueMax - this.#reserved - this.#fresh.length - this.#retries.length;
  }

  get queued(): number {
    return this.#fresh.length + this.#retries.length;
  }

  get isIdle(): boolean {
    return this.active === 0 && this.queued === 0 && this.#reserved === 0 && this.heldUnderWay === 0 && !this.hasBacklog;
  }

  /** Its receiver fails: it may use part of the service's sockets only. */
  get isSuspect(): boolean {
    return this.#failures > 0 || this.channel.consecutiveFailures > 0;
  }

  get isClean(): boolean {
    return this.channel.consecutiveFailures === 0 && this.channel.status === 'active' && this.#failures === 0;
  }

  push(job: DeliveryJob): void {
    const queue = job.attemptCount === 0 ? this.#fresh : this.#retries;
    let position = queue.length;
    // Ids grow in event order; what comes back from the database may be older than what is here.
    if (job.attemptCount === 0) while (position > 0 && queue[position - 1]!.id > job.id) position -= 1;
    queue.splice(position, 0, job);
  }

  /** The next job that may start now; a number: none before that many milliseconds; undefined: none until something ends. */
  next(nowMs: number): DeliveryJob | number | undefined {
    if (this.queued === 0 || this.active >= this.#limits.concurrency || this.#failures >= this.#limits.failingAfter) return undefined;
    if (nowMs < this.#nextStartMs) return this.#nextStartMs - nowMs;
    const mayRetry = this.#activeRetries < Math.max(1, this.#limits.concurrency / 2);
    const job = this.#fresh.shift() ?? (mayRetry ? this.#retries.shift() : undefined);
    if (job === undefined) return undefined;
    const perSecond = this.channel.throttlePerSecond;
    if (perSecond !== undefined) this.#nextStartMs = Math.max(this.#nextStartMs, nowMs - TIMER_SLACK_MS) + 1_000 / perSecond;
    this.start(job);
    return job;
  }

  start(job: DeliveryJob): void {
    this.active += 1;
    if (job.attemptCount > 0) this.#activeRetries += 1;
  }

  /** `isFailure` undefined: the fault was our own. */
  end(job: DeliveryJob, isFailure: boolean | undefined): void {
    this.active -= 1;
    if (job.attemptCount > 0) this.#activeRetries -= 1;
    if (isFailure !== undefined) this.#failures = isFailure ? this.#failures + 1 : 0;
  }

  /** Takes over what the database says; gives back the jobs that must not start any more. */
  setChannel(channel: Channel): DeliveryJob[] {
    this.#failures = isOpen(this.channel) ? Math.min(this.#failures, channel.consecutiveFailures) : 0;
    this.channel = channel;
    if (isOpen(channel)) return [];
    return this.clear();
  }

  clear(): DeliveryJob[] {
    const dropped = [...this.#fresh, ...this.#retries];
    this.#fresh = [];
    this.#retries = [];
    return dropped;
  }

  jobs(): readonly DeliveryJob[] {
    return [...this.#fresh, ...this.#retries];
  }
}
