// SPDX-License-Identifier: Apache-2.0
import type { ChannelLimits } from '@chainwatch/channels';
import { type Channel, isOpen } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';

/** Timers fire late; a throttle makes up for at most this much. */
const TIMER_SLACK_MS = 20;
/** Concurrent requests to a receiver that has not answered yet; every success allows one more. */
const UNPROVEN_CONCURRENCY = 2;
/** A retry that has been due for longer goes every second time, however many first attempts come. */
const PATIENCE_MS = 60_000;
/** A receiver may hang when requests are unanswered and it has answered none for this long. */
const SLOW_MS = 1_000;
/** What cannot start within this time stays in the table. */
const SOON_MS = 1_000;

type Digest = NonNullable<ChannelLimits['digest']>;

export interface QueueLimits {
  /** Concurrent requests of one channel. */
  readonly concurrency: number;
  /** Consecutive failures after which nothing starts until the database has decided. */
  readonly failingAfter: number;
  /** Milliseconds between the starts of two requests, whatever the channel's own throttle. */
  readonly intervalMs: number;
  /** The same over all channels that share its pace. */
  readonly sharedIntervalMs: number;
  /** Once `from` jobs wait, up to `max` of them go in one request: of as many characters, or one. */
  readonly digest?: Digest;
}

/** The limits of a channel: those of its kind, else those of the options. */
export function queueLimitsOf(
  { kind, target }: Pick<Channel, 'kind' | 'target'>,
  options: DeliveryOptions,
): QueueLimits {
  return {
    failingAfter: options.failingAfter,
    concurrency: options.concurrencyPerChannel,
    intervalMs: 0,
    sharedIntervalMs: 0,
    ...(kind && target && kind.limitsOf(target, options.kinds[kind.kind] ?? {})),
  };
}

/** Before when nothing starts; channels with one receiver share it. */
export interface Pace {
  nextStartMs: number;
}

/** Of first attempts, and of what goes behind them. */
export interface RowCounts {
  readonly first: number;
  readonly behind: number;
}

const NONE: RowCounts = { first: 0, behind: 0 };

/**
 * What one channel has in memory, and how fast it may go on. What has a strict order is all in one queue: claims bring
 * nothing that must wait for something else in memory, but for what goes in the same request. Otherwise first attempts are in event order, retries behind them, and
 * history behind both. What is behind gets at most half of the slots, so that it never delays a newer first attempt; but
 * first attempts that never end do not hold up a retry for ever.
 */
export class ChannelQueue {
  #limits: QueueLimits;
  #pace: Pace;
  #channel: Channel;
  /** The table may have rows for it that are not in memory. */
  #mayHave = { first: false, behind: false };
  /** A claim of first attempts is under way. */
  #isClaiming = false;
  /** Events of history wait in the database, as far as is known. */
  hasHistory = false;
  /** Ids of the rows in memory: waiting, sent, and not on record yet. */
  readonly ids = new Set<string>();
  #fresh: DeliveryJob[] = [];
  #retries: DeliveryJob[] = [];
  #historical: DeliveryJob[] = [];
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

  get queued(): number {
    return this.#fresh.length + this.#retries.length + this.#historical.length;
  }

  /** Somebody says that the table may have rows for it. */
  noteMore(): void {
    this.#mayHave = { first: true, behind: true };
  }

  get mayHaveMore(): boolean {
    return this.#mayHave.first || this.#mayHave.behind;
  }

  /** Rows to claim now, of what the table may have: what may start soon, and as much again where the receiver answers. */
  asks(nowMs: number): RowCounts {
    const isStopped = this.#channel.fault !== undefined || this.#failures >= this.#limits.failingAfter;
    if (!this.mayHaveMore || !isOpen(this.#channel) || isStopped || this.#startMs - nowMs > SOON_MS)
      return NONE;
    const { digest, concurrency } = this.#limits;
    const requests = (this.isSuspect(nowMs) ? this.#window : 2 * this.#window) - this.#active;
    const inTime =
      this.#intervalMs === 0 ? requests : Math.min(requests, Math.ceil(SOON_MS / this.#intervalMs));
    // What goes behind takes no room from first attempts: it waits for them.
    const room = Math.max(0, inTime * (digest?.max ?? 1) - this.#fresh.length);
    const waiting = this.#retries.length + this.#historical.length;
    const behind = Math.min(room - waiting, Math.ceil(concurrency / 2) - this.#activeBehind - waiting);
    return {
      first: this.#mayHave.first ? room : 0,
      behind: this.#mayHave.behind ? Math.max(0, behind) : 0,
    };
  }

  /** Rows of one key that a claim may bring together: they go in one request. */
  runOf({ first }: RowCounts): number {
    const { digest } = this.#limits;
    return digest?.from === 1 && this.#channel.orderingKey === 'channel' ? Math.min(first, digest.max) : 1;
  }

  /** The jobs of a claim that one request may have. The table brings the others when it is on record. */
  fitting(jobs: readonly DeliveryJob[]): readonly DeliveryJob[] {
    const { digest } = this.#limits;
    return digest?.charsMax === undefined || this.#channel.orderingKey !== 'channel'
      ? jobs
      : jobs.slice(0, countFitting(jobs, digest));
  }

  /** A claim of so many rows begins. What is noted from now on holds when it ends. */
  beginClaim({ first, behind }: RowCounts): void {
    this.#isClaiming = first > 0;
    if (first > 0) this.#mayHave.first = false;
    if (behind > 0) this.#mayHave.behind = false;
  }

  /** The claim has ended. Fewer rows than were asked for: the table has no more that may go now. */
  endClaim(asked: RowCounts, got: RowCounts): void {
    this.#isClaiming = false;
    if (asked.first > 0 && got.first >= asked.first) this.#mayHave.first = true;
    if (asked.behind > 0 && got.behind >= asked.behind) this.#mayHave.behind = true;
  }

  /** True when it runs low and may have more in the table, or is idle and history waits. */
  needsRefill(nowMs: number): boolean {
    if (this.needsHistory) return true;
    const { first, behind } = this.asks(nowMs);
    const isLow = (count: number): boolean => count <= this.#window / 2;
    return (first > 0 && isLow(this.#fresh.length)) || (behind > 0 && isLow(this.queued));
  }

  /** When the job was due that has waited longest, history aside. */
  get oldestDueMs(): number | undefined {
    const [fresh, retry] = [this.#fresh[0]?.dueAt.getTime(), this.#retries[0]?.dueAt.getTime()];
    return fresh === undefined || retry === undefined ? (fresh ?? retry) : Math.min(fresh, retry);
  }

  /** Everything else is done: history may go on. */
  get needsHistory(): boolean {
    return this.hasHistory && this.ids.size === 0 && !this.mayHaveMore && isOpen(this.#channel);
  }

  get isIdle(): boolean {
    return this.#active === 0 && this.ids.size === 0 && !this.mayHaveMore;
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
    // A first attempt that was put off is older than those that were taken meanwhile.
    if (!isBehind(job)) while (position > 0 && queue[position - 1]!.id > job.id) position -= 1;
    queue.splice(position, 0, job);
  }

  #queueOf(job: DeliveryJob): DeliveryJob[] {
    if (!isBehind(job)) return this.#fresh;
    return job.isHistorical === true ? this.#historical : this.#retries;
  }

  /**
   * The jobs of the next request that may start now. A number: milliseconds until one may start. Undefined:
   * none may start until something ends.
   * @param mayClaim a claim may bring first attempts: what goes behind waits for them
   */
  next(nowMs: number, mayClaim = true): readonly DeliveryJob[] | number | undefined {
    if (this.queued === 0 || this.#active >= this.#window || this.#failures >= this.#limits.failingAfter)
      return undefined;
    if (nowMs < this.#startMs) return this.#startMs - nowMs;
    const jobs = this.#take(nowMs, mayClaim);
    if (jobs.length === 0) return undefined;
    this.#nextStartMs = paceNext(this.#nextStartMs, nowMs, this.#intervalMs);
    this.#pace.nextStartMs = paceNext(this.#pace.nextStartMs, nowMs, this.#limits.sharedIntervalMs);
    this.start(jobs, nowMs);
    return jobs;
  }

  get #startMs(): number {
    return Math.max(this.#nextStartMs, this.#pace.nextStartMs);
  }

  get #intervalMs(): number {
    const perSecond = this.#channel.throttlePerSecond;
    return Math.max(this.#limits.intervalMs, perSecond === undefined ? 0 : 1_000 / perSecond);
  }

  #take(nowMs: number, mayClaim: boolean): readonly DeliveryJob[] {
    const { digest, concurrency } = this.#limits;
    const mayComeFirst = this.#fresh.length === 0 && ((this.#mayHave.first && mayClaim) || this.#isClaiming);
    const isFree = !mayComeFirst && this.#activeBehind < Math.max(1, concurrency / 2);
    this.#wentAhead = isFree && !this.#wentAhead && this.#hasPatienceEnded(nowMs);
    if (this.#wentAhead) return this.#retries.splice(0, 1);
    if (digest !== undefined && this.#fresh.length >= digest.from) return this.#takeTogether(digest);
    const job =
      this.#fresh.shift() ?? (isFree ? (this.#retries.shift() ?? this.#historical.shift()) : undefined);
    return job === undefined ? [] : [job];
  }

  /** Those that go in one request. What is rehearsed goes alone: none of it concerns the others. */
  #takeTogether(digest: Digest): readonly DeliveryJob[] {
    if (this.#fresh[0]?.rehearsal !== undefined) return this.#fresh.splice(0, 1);
    const together = this.#fresh.filter(({ rehearsal }) => rehearsal === undefined);
    const taken = new Set(together.slice(0, countTogether(together, digest)));
    this.#fresh = this.#fresh.filter((job) => !taken.has(job));
    return [...taken];
  }

  #hasPatienceEnded(nowMs: number): boolean {
    const [retry] = this.#retries;
    return this.#fresh.length > 0 && retry !== undefined && isLate(retry, nowMs);
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
    if (!isOpen(channel)) return this.clear();
    if (!wasOpen) this.noteMore();
    return [];
  }

  /** Removes the jobs that have not started, and returns them. More are claimed when somebody says that there are some. */
  clear(): readonly DeliveryJob[] {
    this.#mayHave = { first: false, behind: false };
    this.hasHistory = false;
    const queued = [...this.#fresh, ...this.#retries, ...this.#historical];
    [this.#fresh, this.#retries, this.#historical] = [[], [], []];
    return queued;
  }
}

/** Whether a retry goes ahead of some first attempts. */
export function isLate({ dueAt }: Pick<DeliveryJob, 'dueAt'>, nowMs: number): boolean {
  return nowMs - dueAt.getTime() > PATIENCE_MS;
}

function paceNext(startMs: number, nowMs: number, intervalMs: number): number {
  return intervalMs === 0 ? startMs : Math.max(startMs, nowMs - TIMER_SLACK_MS) + intervalMs;
}

/** Whether it goes behind first attempts. What has a strict order goes as it was claimed, retries too. */
export function isBehind({ isFirst, isHistorical, orderingKey }: DeliveryJob): boolean {
  return orderingKey === undefined && (!isFirst || isHistorical === true);
}

/** The first ones up to the most that a request may have: at least one. */
function countFitting(jobs: readonly DeliveryJob[], { max, charsMax = Infinity }: Digest): number {
  let [count, chars] = [0, 0];
  while (count < Math.min(max, jobs.length)) {
    chars += jobs[count]!.payload.length;
    if (count > 0 && chars > charsMax) break;
    count += 1;
  }
  return count;
}

/**
 * How many of these go in one request: those of a key all or none. One with a strict order that was refused before goes alone,
 * because its receiver may refuse another one, or the length.
 */
function countTogether(jobs: readonly DeliveryJob[], digest: Digest): number {
  const wasRefused = ({ orderingKey, attemptCount }: DeliveryJob): boolean =>
    orderingKey !== undefined && attemptCount > 0;
  const refused = jobs.findIndex(wasRefused);
  if (refused === 0) return 1;
  const fitting = countFitting(refused === -1 ? jobs : jobs.slice(0, refused), digest);
  let count = fitting;
  const keyOf = (at: number): number | undefined => jobs[at]?.orderingKey;
  while (count > 0 && keyOf(count) !== undefined && keyOf(count) === keyOf(count - 1)) count -= 1;
  return count === 0 ? fitting : count;
}
