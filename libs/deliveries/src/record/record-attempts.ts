import type { Database, Sql } from '@chainwatch/db';
import { FATAL_ERRORS, isUncounted, type Attempt, type FinishedAttempt } from '../attempt.ts';
import { attemptColumns } from './attempt-columns.ts';
import type { Channel } from '../channel-config.ts';
import { insertChannelFailed } from './insert-channel-failed.ts';
import { findRetryDelay } from '../retry-schedule.ts';

export interface RecordOptions {
  readonly scheduleMs: readonly number[];
  /** Consecutive failures that make a channel failing. */
  readonly failingAfter: number;
  readonly probeIntervalMs: number;
  readonly random: () => number;
  readonly now: () => number;
}

export interface ChannelState {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  status: Channel['status'];
  isArchived: boolean;
  consecutiveFailures: number;
  failureReason: string | null;
}

interface DeliveryOutcome {
  readonly status: 'pending' | 'held' | 'delivered' | 'failed';
  readonly attemptCount: number;
  readonly nextAttemptAt: Date;
}

/**
 * Writes attempts, what they mean for their deliveries, and what they mean for their channels (breaker states,
 * decisions.md §5) in one transaction. Returns the states of channels that were looked at.
 */
export async function recordAttempts(
  db: Database,
  finished: readonly FinishedAttempt[],
  options: RecordOptions,
): Promise<Map<string, ChannelState>> {
  return db.transaction(async (sql) => {
    const touched = finished.filter(({ attempt, isChannelClean }) => isFailure(attempt) || !isChannelClean);
    const states = await lockChannels(sql, [...new Set(touched.map(({ job }) => job.channelId))]);
    const before = new Map([...states].map(([id, state]) => [id, { ...state }]));
    const outcomes = finished.map((one) => decideOutcome(one, states.get(one.job.channelId), options));
    await insertAttempts(sql, finished);
    await updateDeliveries(sql, finished, outcomes);
    for (const state of states.values()) await updateChannel(sql, before.get(state.id)!, state, options);
    return states;
  });
}

function isFailure(attempt: Attempt): boolean {
  return attempt.errorCode !== undefined && !isUncounted(attempt);
}

function decideOutcome(
  { job, attempt }: FinishedAttempt,
  state: ChannelState | undefined,
  options: RecordOptions,
): DeliveryOutcome {
  const now = options.now();
  const waiting =
    state === undefined || (state.status === 'active' && !state.isArchived) ? 'pending' : 'held';
  if (attempt.errorCode === undefined) {
    if (state !== undefined) {
      state.consecutiveFailures = 0;
      // A test that arrives proves as much as a restore would.
      if (state.status === 'failing' || (job.isTest && state.status === 'failed')) state.status = 'active';
    }
    return { status: 'delivered', attemptCount: job.attemptCount + 1, nextAttemptAt: new Date(now) };
  }
  if (job.isTest && attempt.errorCode === 'internal_error')
    return { status: 'failed', attemptCount: job.attemptCount, nextAttemptAt: new Date(now) };
  // A fault of our own costs nobody an attempt, nor does being too fast.
  if (isUncounted(attempt))
    return {
      status: job.isTest ? 'pending' : waiting,
      attemptCount: job.attemptCount,
      nextAttemptAt: new Date(now + (attempt.retryAfterMs ?? 1_000)),
    };
  if (job.isTest)
    return { status: 'failed', attemptCount: job.attemptCount + 1, nextAttemptAt: new Date(now) };
  // Probes have their own rhythm; one close to the scheduled time stands for the scheduled attempt.
  const isCounted = !job.isProbe || job.dueAt.getTime() <= now + options.probeIntervalMs / 2;
  const attemptCount = job.attemptCount + (isCounted ? 1 : 0);
  if (state !== undefined && attempt.isShared !== true) countFailure(state, attempt, options);
  const fatal = FATAL_ERRORS[attempt.errorCode];
  if (fatal !== undefined) {
    if (state !== undefined) failChannel(state, fatal);
    // Of a digest one event stands for the failure; the others wait for the restore.
    return {
      status: attempt.isShared === true ? 'held' : 'failed',
      attemptCount,
      nextAttemptAt: new Date(now),
    };
  }
  if (!isCounted) return { status: 'held', attemptCount, nextAttemptAt: job.dueAt };
  const delayMs = findRetryDelay({ ...options, attemptCount, retryAfterMs: attempt.retryAfterMs });
  if (delayMs === undefined) {
    // No 2xx came between the first attempt of this delivery and its last.
    if (state !== undefined && state.consecutiveFailures >= attemptCount)
      failChannel(
        state,
        `a delivery used up its ${attemptCount} attempts, the last with ${describe(attempt)}`,
      );
    return { status: 'failed', attemptCount, nextAttemptAt: new Date(now) };
  }
  const isOpen = state === undefined || (state.status === 'active' && !state.isArchived);
  return { status: isOpen ? 'pending' : 'held', attemptCount, nextAttemptAt: new Date(now + delayMs) };
}

function countFailure(state: ChannelState, attempt: Attempt, { failingAfter }: RecordOptions): void {
  state.consecutiveFailures += 1;
  if (state.status !== 'active' || state.consecutiveFailures < failingAfter) return;
  state.status = 'failing';
  state.failureReason = `${state.consecutiveFailures} attempts in a row failed, the last with ${describe(attempt)}`;
}

function failChannel(state: ChannelState, reason: string): void {
  state.status = 'failed';
  state.failureReason = reason;
}

function describe({ errorCode, statusCode }: Attempt): string {
  return statusCode === undefined ? errorCode! : `status ${statusCode}`;
}

// Channels come first in the lock order, and by id, so that two replicas never wait for each other.
async function lockChannels(sql: Sql, ids: readonly string[]): Promise<Map<string, ChannelState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<ChannelState>(
    `SELECT id, project_id AS "projectId", kind, name, status, is_archived AS "isArchived", consecutive_failures AS "consecutiveFailures", failure_reason AS "failureReason"
     FROM notification_channels WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

// Deliveries of a channel deleted meanwhile are gone, and their attempts with them.
async function insertAttempts(sql: Sql, finished: readonly FinishedAttempt[]): Promise<void> {
  await sql.query({
    name: 'insert_attempts',
    text: `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, error_code, request, response_headers, response_body)
     SELECT u.id, u.delivery_id, d.attempt_base + u.number, u.started_at, u.duration_ms, u.status_code, u.error_code, u.request, u.response_headers, u.response_body
     FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[], $5::int[], $6::int[], $7::text[], $8::jsonb[], $9::jsonb[], $10::text[])
       AS u (id, delivery_id, number, started_at, duration_ms, status_code, error_code, request, response_headers, response_body)
     JOIN deliveries d ON d.id = u.delivery_id
     ON CONFLICT (id) DO NOTHING`,
    values: attemptColumns(finished),
  });
}

// A delivered row stays delivered, whatever a second worker's late attempt says.
async function updateDeliveries(
  sql: Sql,
  finished: readonly FinishedAttempt[],
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  await sql.query({
    name: 'update_deliveries',
    text: `UPDATE deliveries d SET status = u.status, attempt_count = d.attempt_base + u.attempt_count, next_attempt_at = u.next_attempt_at, last_error = u.last_error,
       delivered_at = CASE WHEN u.status = 'delivered' THEN now() END, updated_at = now()
     FROM unnest($1::uuid[], $2::text[], $3::int[], $4::timestamptz[], $5::text[]) AS u (id, status, attempt_count, next_attempt_at, last_error)
     WHERE d.id = u.id AND d.status <> 'delivered' AND (u.status = 'delivered' OR d.status IN ('pending', 'held'))`,
    values: [
      finished.map(({ job }) => job.id),
      outcomes.map(({ status }) => status),
      outcomes.map(({ attemptCount }) => attemptCount),
      outcomes.map(({ nextAttemptAt }) => nextAttemptAt),
      finished.map(({ attempt }) => (attempt.errorCode === undefined ? null : describe(attempt))),
    ],
  });
}

async function updateChannel(
  sql: Sql,
  before: ChannelState,
  after: ChannelState,
  { probeIntervalMs }: RecordOptions,
): Promise<void> {
  if (before.status === after.status && before.consecutiveFailures === after.consecutiveFailures) return;
  await sql.query(
    `UPDATE notification_channels SET status = $2, consecutive_failures = $3, failure_reason = CASE WHEN $2 = 'active' THEN NULL ELSE $4 END,
       failed_at = CASE WHEN $2 = 'failed' THEN coalesce(failed_at, now()) END,
       probe_at = CASE WHEN $2 = 'failing' AND $5 THEN now() + $6 * interval '1 ms' ELSE probe_at END
     WHERE id = $1`,
    [
      after.id,
      after.status,
      after.consecutiveFailures,
      after.failureReason,
      before.status === 'active',
      probeIntervalMs,
    ],
  );
  if (after.status === 'failed' && before.status !== 'failed') await insertChannelFailed(sql, after);
  if (before.status !== 'active' || after.status === 'active') return;
  // What waits spends no attempt from here on; untried deliveries are due whenever their channel is.
  await sql.query(
    `UPDATE deliveries SET status = 'held', updated_at = now(), next_attempt_at = CASE WHEN attempt_count = 0 THEN created_at ELSE next_attempt_at END
     WHERE channel_id = $1 AND status = 'pending' AND NOT is_test`,
    [after.id],
  );
}
