// SPDX-License-Identifier: Apache-2.0
import type { Attempt } from '@chainwatch/channels';
import type { DeliveryJob } from '../delivery-job.ts';
import { type ChannelState, decideOutcome, type DeliveryOutcome } from './decide-outcome.ts';

const NOW = 1_000_000;
const options = {
  scheduleMs: [0, 5_000, 30_000],
  failingAfter: 3,
  probeIntervalMs: 10_000,
  random: () => 0.5,
  nowMs: NOW,
};
const active: ChannelState = {
  id: 'c',
  projectId: 'p',
  kind: 'webhook',
  name: 'n',
  status: 'active',
  isArchived: false,
  consecutiveFailures: 0,
  failureReason: null,
};
const failing: ChannelState = {
  ...active,
  status: 'failing',
  consecutiveFailures: 4,
  failureReason: 'before',
};
const failed: ChannelState = { ...failing, status: 'failed' };
const archived: ChannelState = { ...active, isArchived: true };

function job(more: Partial<DeliveryJob> = {}): DeliveryJob {
  return {
    id: 'd',
    channelId: 'c',
    eventId: 'e',
    eventType: 't',
    payload: '',
    traceparent: undefined,
    attemptCount: 0,
    isFirst: true,
    dueAt: new Date(NOW),
    isProbe: false,
    isTest: false,
    ...more,
  };
}

function attempt(errorCode: Attempt['errorCode'], more: Partial<Attempt> = {}): Attempt {
  return {
    id: 'a',
    startedAt: new Date(NOW),
    durationMs: 1,
    statusCode: undefined,
    errorCode,
    request: { method: 'POST', url: '', headers: {} },
    responseHeaders: undefined,
    responseBody: undefined,
    retryAfterMs: undefined,
    ...more,
  };
}

interface Case {
  readonly name: string;
  readonly job?: Partial<DeliveryJob>;
  readonly attempt: Attempt;
  readonly before?: ChannelState | undefined;
  /** Status, attempts, milliseconds from now. */
  readonly outcome: readonly [DeliveryOutcome['status'], number, number];
  /** The members of the state that change. */
  readonly after?: Partial<ChannelState>;
}

const ok = attempt(undefined, { statusCode: 200 });
const refused = attempt('http_error', { statusCode: 500 });
const timeout = attempt('timeout');
const gone = attempt('gone', { statusCode: 410 });
const GONE = 'the endpoint answered 410 Gone';
const inAMinute = new Date(NOW + 60_000);

const CASES: readonly Case[] = [
  // Success.
  { name: 'a success of a clean channel', attempt: ok, before: undefined, outcome: ['delivered', 1, 0] },
  {
    name: 'a success after failures',
    job: { attemptCount: 1 },
    attempt: ok,
    before: { ...active, consecutiveFailures: 2 },
    outcome: ['delivered', 2, 0],
    after: { consecutiveFailures: 0 },
  },
  {
    name: 'a success of a failing channel: it recovers',
    job: { isProbe: true },
    attempt: ok,
    before: failing,
    outcome: ['delivered', 1, 0],
    after: { status: 'active', consecutiveFailures: 0 },
  },
  {
    name: 'a late success of a failed channel: it stays failed until it is restored',
    attempt: ok,
    before: failed,
    outcome: ['delivered', 1, 0],
    after: { consecutiveFailures: 0 },
  },
  {
    name: 'a test that a failed channel takes: as good as a restore',
    job: { isTest: true },
    attempt: ok,
    before: failed,
    outcome: ['delivered', 1, 0],
    after: { status: 'active', consecutiveFailures: 0 },
  },
  // Failures that cost nothing.
  { name: 'a fault of our own', attempt: attempt('internal_error'), outcome: ['pending', 0, 1_000] },
  {
    name: 'a fault of our own, of a channel deleted meanwhile',
    attempt: attempt('internal_error'),
    before: undefined,
    outcome: ['pending', 0, 1_000],
  },
  {
    name: 'a receiver that wants us slower',
    job: { attemptCount: 2 },
    attempt: attempt('rate_limited', { retryAfterMs: 7_000 }),
    outcome: ['pending', 2, 7_000],
  },
  {
    name: 'a receiver that wants us never again is asked after a day',
    attempt: attempt('rate_limited', { retryAfterMs: 1e20 }),
    outcome: ['pending', 0, 86_400_000],
  },
  {
    name: 'the same of a channel that fails meanwhile',
    attempt: attempt('rate_limited'),
    before: failing,
    outcome: ['held', 0, 1_000],
  },
  {
    name: 'a fault of our own, archived meanwhile',
    attempt: attempt('internal_error'),
    before: archived,
    outcome: ['held', 0, 1_000],
  },
  // Tests.
  {
    name: 'a test and a fault of our own',
    job: { isTest: true },
    attempt: attempt('internal_error'),
    outcome: ['failed', 0, 0],
  },
  {
    name: 'a test that comes too fast waits, whatever its channel is',
    job: { isTest: true },
    attempt: attempt('rate_limited', { retryAfterMs: 2_000 }),
    before: failed,
    outcome: ['pending', 0, 2_000],
  },
  {
    name: 'a test that fails counts for nothing',
    job: { isTest: true },
    attempt: gone,
    outcome: ['failed', 1, 0],
  },
  // Failures and the schedule.
  {
    name: 'a first failure',
    attempt: refused,
    outcome: ['pending', 1, 5_000],
    after: { consecutiveFailures: 1 },
  },
  {
    name: 'a second one, with Retry-After',
    job: { attemptCount: 1 },
    attempt: attempt('http_error', { statusCode: 503, retryAfterMs: 45_000 }),
    before: { ...active, consecutiveFailures: 1 },
    outcome: ['pending', 2, 45_000],
    after: { consecutiveFailures: 2 },
  },
  {
    name: 'a failure of a channel deleted meanwhile',
    attempt: refused,
    before: undefined,
    outcome: ['pending', 1, 5_000],
  },
  {
    name: 'a failure of an archived channel',
    attempt: refused,
    before: archived,
    outcome: ['held', 1, 5_000],
    after: { consecutiveFailures: 1 },
  },
  {
    name: 'the failure that makes a channel failing',
    attempt: timeout,
    before: { ...active, consecutiveFailures: 2 },
    outcome: ['held', 1, 5_000],
    after: {
      status: 'failing',
      consecutiveFailures: 3,
      failureReason: '3 attempts in a row failed, the last with timeout',
    },
  },
  {
    name: 'one more of a failing channel keeps the reason',
    attempt: timeout,
    before: failing,
    outcome: ['held', 1, 5_000],
    after: { consecutiveFailures: 5 },
  },
  {
    name: 'the last attempt, without a success since the first: the channel fails',
    job: { attemptCount: 2 },
    attempt: refused,
    before: { ...failing, consecutiveFailures: 2 },
    outcome: ['failed', 3, 0],
    after: {
      status: 'failed',
      consecutiveFailures: 3,
      failureReason: 'a delivery used up its 3 attempts, the last with status 500',
    },
  },
  {
    name: 'the last attempt, with a success in between: the delivery alone fails',
    job: { attemptCount: 2 },
    attempt: refused,
    outcome: ['failed', 3, 0],
    after: { consecutiveFailures: 1 },
  },
  {
    name: 'the last attempt, of a channel deleted meanwhile',
    job: { attemptCount: 2 },
    attempt: refused,
    before: undefined,
    outcome: ['failed', 3, 0],
  },
  // Probes.
  {
    name: 'a probe long before the delivery is due counts for the channel alone',
    job: { isProbe: true, attemptCount: 1, dueAt: inAMinute },
    attempt: refused,
    before: failing,
    outcome: ['held', 1, 60_000],
    after: { consecutiveFailures: 5 },
  },
  {
    name: 'a probe close to the scheduled time stands for the scheduled attempt',
    job: { isProbe: true, attemptCount: 1, dueAt: new Date(NOW + 5_000) },
    attempt: refused,
    before: failing,
    outcome: ['held', 2, 30_000],
    after: { consecutiveFailures: 5 },
  },
  // What cannot succeed.
  {
    name: 'gone: the channel fails at once',
    attempt: gone,
    outcome: ['failed', 1, 0],
    after: { status: 'failed', consecutiveFailures: 1, failureReason: GONE },
  },
  {
    name: 'gone, found by a probe that does not count',
    job: { isProbe: true, dueAt: inAMinute },
    attempt: gone,
    before: failing,
    outcome: ['failed', 0, 0],
    after: { status: 'failed', consecutiveFailures: 5, failureReason: GONE },
  },
  { name: 'gone, deleted meanwhile', attempt: gone, before: undefined, outcome: ['failed', 1, 0] },
  {
    name: 'gone, another event of the same message: it waits for the restore',
    attempt: { ...gone, isShared: true },
    before: { ...failed, consecutiveFailures: 1 },
    outcome: ['held', 1, 0],
    after: { failureReason: GONE },
  },
  {
    name: 'a failure of another event of the same message does not count twice',
    attempt: { ...refused, isShared: true },
    before: { ...active, consecutiveFailures: 2 },
    outcome: ['pending', 1, 5_000],
  },
];

test.each(CASES)('$name', (given) => {
  const before = 'before' in given ? given.before : active;
  const untouched = structuredClone(before);
  const { outcome, state } = decideOutcome({ job: job(given.job), attempt: given.attempt }, before, options);
  const { status, attemptCount, nextAttemptAt } = outcome;
  expect([status, attemptCount, nextAttemptAt.getTime() - NOW]).toEqual(given.outcome);
  expect(state).toEqual(before === undefined ? undefined : { ...before, ...given.after });
  expect(before).toEqual(untouched);
});
