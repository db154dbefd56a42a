import { type Channel, isOpen } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';

/** Timers fire late; a throttle makes up for at most this much. */
const TIMER_SLACK_MS = 20;
/** Concurrent requests to a receiver that has not answered yet; every success allows one more. */
const UNPROVEN_CONCURRENCY = 2;
/** A retry that has been due for longer goes every second time, however many first attempts come. */
const PATIENCE_MS = 60_000;
/** A receiver may hang when requests are unanswered and it has answered none for this long. */
const SLOW_MS = 1_000;

export interface QueueLimits {
  /** Concurrent requests of one channel. */
  readonly concurrency: number;
  /** Jobs in memory for one channel; more wait in the database. */
  readonly queueMax: number;
  /** Consecutive failures after which nothing starts until the database has decided. */
  readonly failingAfter: number;
  /** Milliseconds between the starts of two requests, whatever the channel's own throttle. */
  readonly intervalMs: number;
  /** The same over all channels that share its pace. */
  readonly sharedIntervalMs: number;
  /** Once `from` jobs wait, up to `max` of them go in one request. */
  readonly digest?: { readonly from: number; readonly max: number };
}

/** Before when nothing starts; channels with one receiver share it. */
export interface Pace {
  nextStartMs: number;
}

/** A look at the rows that are parked in the database. */
export interface BacklogLook {
  readonly parkedCount: number;
  /** Rows from this id on are not taken yet: older ones may still be on their way into the database or the queue. */
  readonly beforeId: string | undefined;
}

/**
 * The jobs of one channel in memory: first attempts in event order, retries behind them, and history behind both. What
 * is behind gets at most half of the slots, so that it never delays a newer first attempt; but first attempts that never
 * end do not hold up a retry for ever.
 */
export class ChannelQueue {
  #limits: QueueLimits;
  #pace: Pace;
  #channel: Channel;
  #fresh: DeliveryJob[] = [];
  #retries: DeliveryJob[] = [];
  #historical: DeliveryJob[] = [];
  #reserved = 0;
  #active = 0;
  /** Requests under way with retries or history. */
  #activeBehind = 0;
  /** The last request went ahead of first attempts. */
  #wentAhead = false;
  #failures = 0;
  #nextStartMs = 0;
  #window: number;
  #lastSuccessMs = 0;
  /** Since when requests are unanswered without any answer in between. */
  #waitingSinceMs = 0;
  #usedAtMs = 0;
  #hasBacklog = false;
  /** Events of history wait in the database, as far as is known. */
  hasHistory = false;
  /** Counts rows that were put into the backlog. A look compares it to know whether it saw them all. */
  #parkedCount = 0;
  /** Ids of new deliveries that are being written, the oldest first. */
  readonly #arriving = new Set<string>();

  constructor(channel: Channel, limits: QueueLimits, pace: Pace = { nextStartMs: 0 }) {
    this.#channel = channel;
    this.#limits = limits;
    this.#pace = pace;
    this.#window = Math.min(UNPROVEN_CONCURRENCY, limits.concurrency);
  }

  get channel(): Channel {
    return this.#channel;
  }

  /** Requests under way. */
  get active(): number {
    return this.#active;
  }

  /** A place for a job that is about to be inserted, until `unreserve`; false: it must be parked. */
  reserve(id: string): boolean {
    if (!isOpen(this.#channel) || this.#hasBacklog || this.room <= 0) return false;
    this.#reserved += 1;
    this.#arriving.add(id);
    return true;
  }

  unreserve(id: string): void {
    this.#reserved -= 1;
    this.#arriving.delete(id);
  }

  /** True while rows of the channel are parked in the database, which come before anything new. */
  get hasBacklog(): boolean {
    return this.#hasBacklog;
  }

  /** A new row is about to be parked. `parked` must follow, whether the row was written or not. */
  park(id: string): void {
    this.#parkedCount += 1;
    this.#arriving.add(id);
    this.#hasBacklog = isOpen(this.#channel);
  }

  parked(id: string): void {
    this.#arriving.delete(id);
  }

  /** Rows were parked by somebody else. */
  findBacklog(): void {
    this.#parkedCount += 1;
    this.#hasBacklog = true;
  }

  /** Forgets the backlog: the channel is closed, or another replica owns it. */
  leaveBacklog(): void {
    this.#hasBacklog = false;
  }

  isArriving(id: string): boolean {
    return this.#arriving.has(id);
  }

  /** Before the database is asked for parked rows. */
  beginLook(): BacklogLook {
    const [beforeId] = this.#arriving;
    return { parkedCount: this.#parkedCount, beforeId };
  }

  /**
   * The look has taken every row that it could see. The backlog is empty only if no row was on its way, and
   * none was parked since the look began.
   */
  endLook({ parkedCount, beforeId }: BacklogLook): void {
    if (beforeId === undefined && parkedCount === this.#parkedCount) this.#hasBacklog = false;
  }

  get room(): number {
    return this.#limits.queueMax - this.#reserved - this.queued;
  }

  get queued(): number {
    return this.#fresh.length + this.#retries.length + this.#historical.length;
  }

  /** When the job was due that has waited longest, history aside. */
  get oldestDueMs(): number | undefined {
    const [fresh, retry] = [this.#fresh[0]?.dueAt.getTime(), this.#retries[0]?.dueAt.getTime()];
    return fresh === undefined || retry === undefined ? (fresh ?? retry) : Math.min(fresh, retry);
  }

  /** Everything else is done: history may go on. */
  get needsHistory(): boolean {
    return this.hasHistory && this.queued === 0 && !this.#hasBacklog && isOpen(this.#channel);
  }

  get isIdle(): boolean {
    return this.#active === 0 && this.queued === 0 && this.#arriving.size === 0 && !this.#hasBacklog;
  }

  noteUse(nowMs: number): void {
    this.#usedAtMs = nowMs;
  }

  isUnusedSince(atMs: number): boolean {
    return this.isIdle && this.#usedAtMs < atMs;
  }

  /**
   * True when its receiver fails, hangs, or has never answered. All such queues together may use only a part
   * of the service's sockets.
   */
  isSuspect(nowMs: number): boolean {
    const isSlow = this.#active > 0 && nowMs - this.#waitingSinceMs > SLOW_MS;
    return this.#lastSuccessMs === 0 || isSlow || this.#failures > 0 || this.#channel.consecutiveFailures > 0;
  }

  get isClean(): boolean {
    return (
      this.#channel.consecutiveFailures === 0 && this.#channel.status === 'active' && this.#failures === 0
    );
  }

  push(job: DeliveryJob): void {
    const queue = this.#queueOf(job);
    let position = queue.length;
    // Ids grow in event order. A job that comes back from the database may be older than those in the queue.
    if (job.isFirst) while (position > 0 && queue[position - 1]!.id > job.id) position -= 1;
    if (position === queue.length) queue.push(job);
    else queue.splice(position, 0, job);
  }

  #queueOf(job: DeliveryJob): DeliveryJob[] {
    if (job.isHistorical === true) return this.#historical;
    return job.isFirst ? this.#fresh : this.#retries;
  }

  /**
   * The jobs of the next request that may start now. A number: milliseconds until one may start. Undefined:
   * none may start until something ends.
   */
  next(nowMs: number): readonly DeliveryJob[] | number | undefined {
    if (this.queued === 0 || this.#active >= this.#window || this.#failures >= this.#limits.failingAfter)
      return undefined;
    const startMs = Math.max(this.#nextStartMs, this.#pace.nextStartMs);
    if (nowMs < startMs) return startMs - nowMs;
    const jobs = this.#take(nowMs);
    if (jobs.length === 0) return undefined;
    this.#nextStartMs = paceNext(this.#nextStartMs, nowMs, this.#intervalMs);
    this.#pace.nextStartMs = paceNext(this.#pace.nextStartMs, nowMs, this.#limits.sharedIntervalMs);
    this.start(jobs, nowMs);
    return jobs;
  }

  get #intervalMs(): number {
    const perSecond = this.#channel.throttlePerSecond;
    return Math.max(this.#limits.intervalMs, perSecond === undefined ? 0 : 1_000 / perSecond);
  }

  #take(nowMs: number): readonly DeliveryJob[] {
    const { digest, concurrency } = this.#limits;
    const isFree = this.#activeBehind < Math.max(1, concurrency / 2);
    this.#wentAhead = isFree && !this.#wentAhead && this.#hasPatienceEnded(nowMs);
    if (this.#wentAhead) return this.#retries.splice(0, 1);
    if (digest !== undefined && this.#fresh.length >= digest.from) return this.#fresh.splice(0, digest.max);
    const job =
      this.#fresh.shift() ?? (isFree ? (this.#retries.shift() ?? this.#historical.shift()) : undefined);
    return job === undefined ? [] : [job];
  }

  #hasPatienceEnded(nowMs: number): boolean {
    const [retry] = this.#retries;
    return this.#fresh.length > 0 && retry !== undefined && nowMs - retry.dueAt.getTime() > PATIENCE_MS;
  }

  /** Nothing that shares its pace starts before `atMs`, as the receiver asked. */
  pauseUntil(atMs: number): void {
    this.#pace.nextStartMs = Math.max(this.#pace.nextStartMs, atMs);
  }

  start([first]: readonly DeliveryJob[], nowMs: number): void {
    if (this.#active === 0) this.#waitingSinceMs = nowMs;
    this.#active += 1;
    if (isBehind(first!)) this.#activeBehind += 1;
  }

  /** @param isFailure undefined when the outcome says nothing about the receiver */
  end([first]: readonly DeliveryJob[], isFailure: boolean | undefined, nowMs: number): void {
    this.#active -= 1;
    if (isBehind(first!)) this.#activeBehind -= 1;
    if (isFailure === undefined) return;
    this.#failures = isFailure ? this.#failures + 1 : 0;
    if (isFailure) this.#window = Math.min(UNPROVEN_CONCURRENCY, this.#window);
    else {
      this.#window = Math.min(this.#limits.concurrency, this.#window + 1);
      this.#lastSuccessMs = nowMs;
      this.#waitingSinceMs = nowMs;
    }
  }

  /** Takes over the channel as the database has it; returns the jobs that must not start any more. */
  setChannel(channel: Channel, limits = this.#limits, pace = this.#pace): readonly DeliveryJob[] {
    this.#limits = limits;
    this.#pace = pace;
    const wasOpen = isOpen(this.#channel);
    this.#failures = wasOpen ? Math.min(this.#failures, channel.consecutiveFailures) : 0;
    this.#channel = channel;
    // Rows that anybody parked while it was closed come first.
    if (!wasOpen && isOpen(channel)) this.findBacklog();
    if (isOpen(channel)) return [];
    if (wasOpen) this.leaveBacklog();
    return this.clear();
  }

  clear(): readonly DeliveryJob[] {
    return this.drop(() => true);
  }

  /** Removes jobs that have not started from the queue, and returns them. */
  drop(isDropped: (job: DeliveryJob) => boolean): readonly DeliveryJob[] {
    const queued = [...this.#fresh, ...this.#retries, ...this.#historical];
    this.#fresh = this.#fresh.filter((job) => !isDropped(job));
    this.#retries = this.#retries.filter((job) => !isDropped(job));
    this.#historical = this.#historical.filter((job) => !isDropped(job));
    return queued.filter(isDropped);
  }
}

function paceNext(startMs: number, nowMs: number, intervalMs: number): number {
  return intervalMs === 0 ? startMs : Math.max(startMs, nowMs - TIMER_SLACK_MS) + intervalMs;
}

function isBehind({ isFirst, isHistorical }: DeliveryJob): boolean {
  return !isFirst || isHistorical === true;
}
