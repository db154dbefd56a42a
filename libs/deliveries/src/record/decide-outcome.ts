// SPDX-License-Identifier: Apache-2.0
import { FATAL_ERRORS, isUncounted, type Attempt } from '@chainwatch/channels';
import { isOpen, type Channel } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import { sendsOf } from '../rehearsal.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay of each attempt after the one before, in milliseconds (decisions.md §5): 12 attempts in about 76 hours. */
export const DEFAULT_RETRY_SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** No receiver makes us wait for longer: what it says is a stranger's, and may be no time at all. */
export const WAIT_MS_MAX = 24 * HOUR;

export interface FinishedAttempt {
  readonly job: DeliveryJob;
  readonly attempt: Attempt;
  /** Whether the channel was clean when the attempt began: then a success has nothing to reset. */
  readonly isChannelClean: boolean;
}

/** What attempts say about a channel: the states of its breaker (decisions.md §5). */
export interface ChannelState extends Pick<Channel, 'status' | 'isArchived' | 'consecutiveFailures'> {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly failureReason: string | null;
  /** Its receiver is only tried: nothing that it answers changes the state. */
  readonly isSandbox?: boolean;
}

export interface OutcomeOptions {
  readonly scheduleMs: readonly number[];
  /** Consecutive failures that make a channel failing. */
  readonly failingAfter: number;
  readonly probeIntervalMs: number;
  readonly random: () => number;
  readonly nowMs: number;
}

/** The state of a delivery after an attempt. */
export interface DeliveryOutcome {
  readonly status: 'pending' | 'held' | 'delivered' | 'failed';
  readonly attemptCount: number;
  readonly nextAttemptAt: Date;
}

export interface Decision {
  readonly outcome: DeliveryOutcome;
  readonly state: ChannelState | undefined;
}

/** Wait after a fault of our own or a rate limit, where the receiver does not say how long. */
const UNCOUNTED_DELAY_MS = 1_000;

/**
 * Decides what an attempt means for its delivery and for its channel.
 *
 * @param state of the channel before; undefined: it was deleted, or was clean before a success
 */
export function decideOutcome(
  finished: Pick<FinishedAttempt, 'job' | 'attempt'>,
  state: ChannelState | undefined,
  options: OutcomeOptions,
): Decision {
  if (state?.isSandbox !== true) return decide(finished, state, options);
  return { ...decide(finished, state, { ...options, failingAfter: Infinity }), state };
}

function decide(
  finished: Pick<FinishedAttempt, 'job' | 'attempt'>,
  state: ChannelState | undefined,
  options: OutcomeOptions,
): Decision {
  const { job, attempt } = finished;
  const now = new Date(options.nowMs);
  if (job.attemptCount + 1 < sendsOf(job) && !isUncounted(attempt))
    return { outcome: { status: 'pending', attemptCount: job.attemptCount + 1, nextAttemptAt: now }, state };
  if (attempt.errorCode === undefined) {
    const outcome = { status: 'delivered', attemptCount: job.attemptCount + 1, nextAttemptAt: now } as const;
    return { outcome, state: countSuccess(state, job.isTest) };
  }
  if (isUncounted(attempt)) return { outcome: repeatUncounted(finished, state, options), state };
  if (job.isTest)
    return { outcome: { status: 'failed', attemptCount: job.attemptCount + 1, nextAttemptAt: now }, state };
  return decideFailure(finished, state, options);
}

/** A test that arrives proves as much as a restore would. */
function countSuccess(state: ChannelState | undefined, isTest: boolean): ChannelState | undefined {
  if (state === undefined) return undefined;
  const recovers = state.status === 'failing' || (isTest && state.status === 'failed');
  return { ...state, consecutiveFailures: 0, status: recovers ? 'active' : state.status };
}

/** Neither a fault of our own nor a rate limit costs an attempt. */
function repeatUncounted(
  { job, attempt }: Pick<FinishedAttempt, 'job' | 'attempt'>,
  state: ChannelState | undefined,
  { nowMs }: OutcomeOptions,
): DeliveryOutcome {
  const { attemptCount, isTest } = job;
  if (isTest && attempt.errorCode === 'internal_error')
    return { status: 'failed', attemptCount, nextAttemptAt: new Date(nowMs) };
  const nextAttemptAt = new Date(nowMs + Math.min(attempt.retryAfterMs ?? UNCOUNTED_DELAY_MS, WAIT_MS_MAX));
  return { status: isTest ? 'pending' : waitingStatus(state), attemptCount, nextAttemptAt };
}

function decideFailure(
  { job, attempt }: Pick<FinishedAttempt, 'job' | 'attempt'>,
  before: ChannelState | undefined,
  options: OutcomeOptions,
): Decision {
  const now = new Date(options.nowMs);
  // Probes have their own interval; one that comes when the delivery is due counts as its scheduled attempt.
  const isDue = job.dueAt.getTime() <= options.nowMs + options.probeIntervalMs / 2;
  const isCounted = !job.isProbe || (isDue && job.isExtra !== true);
  const attemptCount = job.attemptCount + (isCounted ? 1 : 0);
  const state = attempt.isShared === true ? before : countFailure(before, attempt, options.failingAfter);
  const fatal = FATAL_ERRORS[attempt.errorCode!];
  if (fatal !== undefined) {
    // When a digest fails, only its first event counts as failed; the others wait for the channel to be restored.
    const status = attempt.isShared === true ? 'held' : 'failed';
    return { outcome: { status, attemptCount, nextAttemptAt: now }, state: failChannel(state, fatal) };
  }
  if (!isCounted) return { outcome: { status: 'held', attemptCount, nextAttemptAt: job.dueAt }, state };
  const delayMs = findRetryDelay({ ...options, attemptCount, retryAfterMs: attempt.retryAfterMs });
  if (delayMs !== undefined) {
    const nextAttemptAt = new Date(options.nowMs + delayMs);
    return { outcome: { status: waitingStatus(state), attemptCount, nextAttemptAt }, state };
  }
  // No 2xx came between the first attempt of this delivery and its last.
  const isHopeless = state !== undefined && state.consecutiveFailures >= attemptCount;
  const reason = `a delivery used up its ${attemptCount} attempts, the last with ${describeFailure(attempt)}`;
  return {
    outcome: { status: 'failed', attemptCount, nextAttemptAt: now },
    state: isHopeless ? failChannel(state, reason) : state,
  };
}

function countFailure(
  state: ChannelState | undefined,
  attempt: Attempt,
  failingAfter: number,
): ChannelState | undefined {
  if (state === undefined) return undefined;
  const consecutiveFailures = state.consecutiveFailures + 1;
  if (state.status !== 'active' || consecutiveFailures < failingAfter)
    return { ...state, consecutiveFailures };
  const failureReason = `${consecutiveFailures} attempts in a row failed, the last with ${describeFailure(attempt)}`;
  return { ...state, consecutiveFailures, status: 'failing', failureReason };
}

function failChannel(state: ChannelState | undefined, failureReason: string): ChannelState | undefined {
  return state === undefined ? undefined : { ...state, status: 'failed', failureReason };
}

/** Status of a delivery that is tried again: parked, unless its channel is open. */
function waitingStatus(state: ChannelState | undefined): 'pending' | 'held' {
  return state === undefined || isOpen(state) ? 'pending' : 'held';
}

/** A text for people: the status of the answer, or else the error code. */
export function describeFailure({ errorCode, statusCode }: Attempt): string {
  return statusCode === undefined ? errorCode! : `status ${statusCode}`;
}

interface RetryDelayOptions {
  readonly scheduleMs: readonly number[];
  /** Attempts made so far, at least 1. */
  readonly attemptCount: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Milliseconds until the next attempt; undefined when the schedule is used up. Jitter is ±20 %; a receiver's
 * `Retry-After` counts within [base, 2 × base].
 */
export function findRetryDelay({
  scheduleMs,
  attemptCount,
  retryAfterMs,
  random,
}: RetryDelayOptions): number | undefined {
  const base = scheduleMs[attemptCount];
  if (base === undefined) return undefined;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, base), 2 * base);
  return Math.round(base * (0.8 + 0.4 * random()));
}
