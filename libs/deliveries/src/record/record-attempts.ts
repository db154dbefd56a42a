// SPDX-License-Identifier: Apache-2.0
import { isUncounted } from '@chainwatch/channels';
import type { Database, Sql } from '@chainwatch/data/db';
import { uuidv5, type EventEnvelope } from '@chainwatch/events';
import {
  decideOutcome,
  describeFailure,
  type ChannelState,
  type DeliveryOutcome,
  type FinishedAttempt,
  type OutcomeOptions,
} from './decide-outcome.ts';

/**
 * Writes successful attempts of clean channels, which are nearly all attempts. Nothing has to be decided
 * under a lock, so one statement is enough. Once sent it commits even if this process is killed, so these
 * deliveries are not sent twice. A delivered row keeps its time and its count, whatever a second worker's
 * late attempt says.
 */
export async function recordSuccesses(sql: Sql, finished: readonly FinishedAttempt[]): Promise<void> {
  await sql.query({
    name: 'record_successes',
    text: `WITH u AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[], $5::int[], $6::int[], $7::text[], $8::jsonb[], $9::jsonb[], $10::text[])
         AS u (id, delivery_id, number, started_at, duration_ms, status_code, error_code, request, response_headers, response_body)
     ), delivered AS (
       UPDATE deliveries d SET status = 'delivered', last_error = NULL, next_attempt_at = now(), updated_at = now(),
         attempt_count = CASE WHEN d.status = 'delivered' THEN d.attempt_count ELSE d.attempt_base + u.number END,
         delivered_at = CASE WHEN d.status = 'delivered' THEN d.delivered_at ELSE now() END
       FROM u WHERE d.id = u.delivery_id
       RETURNING u.id, u.delivery_id, d.attempt_base + u.number AS number, u.started_at, u.duration_ms, u.status_code, u.error_code, u.request, u.response_headers, u.response_body
     )
     INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, error_code, request, response_headers, response_body)
     SELECT * FROM delivered ON CONFLICT (id) DO NOTHING`,
    values: attemptColumns(finished),
  });
}

/**
 * Writes attempts and their effects on deliveries and channels in one transaction. Returns the states of the
 * channels that were read, by id.
 */
export async function recordAttempts(
  db: Database,
  finished: readonly FinishedAttempt[],
  options: OutcomeOptions,
): Promise<ReadonlyMap<string, ChannelState>> {
  const touched = finished.filter(
    ({ attempt, isChannelClean }) => isFailure(attempt) || attempt.move !== undefined || !isChannelClean,
  );
  const channelIds = [...new Set(touched.map(({ job }) => job.channelId))];
  return db.transaction(async (sql) => {
    const before = await lockChannels(sql, channelIds);
    const { outcomes, states } = decideOutcomes(finished, before, options);
    await insertAttempts(sql, finished);
    await updateDeliveries(sql, finished, outcomes);
    await moveChannels(sql, finished);
    const changed = [...states.values()].flatMap((after) => {
      const { status, consecutiveFailures } = before.get(after.id)!;
      const isSame = status === after.status && consecutiveFailures === after.consecutiveFailures;
      return isSame ? [] : { after, was: status };
    });
    if (changed.length > 0) await updateChannels(sql, changed, options.probeIntervalMs);
    for (const { after, was } of changed)
      if (after.status === 'failed' && was !== 'failed') await insertChannelFailed(sql, after);
    return states;
  });
}

function isFailure(attempt: FinishedAttempt['attempt']): boolean {
  return attempt.errorCode !== undefined && !isUncounted(attempt);
}

/** Decides one after the other: each outcome changes the state for the channel's next attempt. */
function decideOutcomes(
  finished: readonly FinishedAttempt[],
  before: ReadonlyMap<string, ChannelState>,
  options: OutcomeOptions,
): { outcomes: readonly DeliveryOutcome[]; states: ReadonlyMap<string, ChannelState> } {
  const states = new Map(before);
  const outcomes = finished.map((one) => {
    const { outcome, state } = decideOutcome(one, states.get(one.job.channelId), options);
    if (state !== undefined) states.set(state.id, state);
    return outcome;
  });
  return { outcomes, states };
}

/** Channels are locked before deliveries, and by id, so that two replicas never wait for each other. */
async function lockChannels(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, ChannelState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<ChannelState>(
    `SELECT id, project_id AS "projectId", kind, name, status, is_archived AS "isArchived",
       consecutive_failures AS "consecutiveFailures", failure_reason AS "failureReason",
       coalesce(config -> 'sandbox' = 'true', false) AS "isSandbox"
     FROM notification_channels WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Skips deliveries whose channel was deleted meanwhile: they are gone, and their attempts with them. */
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

/**
 * The columns from which `unnest` makes rows of delivery_attempts: id, delivery, number, start, duration,
 * status, error, request, response headers, response body.
 */
function attemptColumns(finished: readonly FinishedAttempt[]): unknown[][] {
  return [
    finished.map(({ attempt }) => attempt.id),
    finished.map(({ job }) => job.id),
    finished.map(({ job }) => job.attemptCount + 1),
    finished.map(({ attempt }) => attempt.startedAt),
    finished.map(({ attempt }) => attempt.durationMs),
    finished.map(({ attempt }) => attempt.statusCode ?? null),
    finished.map(({ attempt }) => attempt.errorCode ?? null),
    finished.map(({ attempt }) => toJson(attempt.request)),
    finished.map(({ attempt }) =>
      attempt.responseHeaders === undefined ? null : toJson(attempt.responseHeaders),
    ),
    finished.map(({ attempt }) => (attempt.responseBody === undefined ? null : toText(attempt.responseBody))),
  ];
}

/**
 * PostgreSQL holds no NUL and no half of a surrogate pair. One receiver's text that it refuses would keep the outcomes
 * of all others in the batch from being recorded.
 */
function toText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** JSON escapes all that `toText` replaces, and hardly any text has it. */
function toJson(value: object): string {
  const json = JSON.stringify(value);
  if (!/\\u(0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? toText(member) : member,
  );
}

/** A delivered row stays delivered, whatever a second worker's late attempt says. */
async function updateDeliveries(
  sql: Sql,
  finished: readonly FinishedAttempt[],
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  await sql.query({
    name: 'update_deliveries',
    text: `UPDATE deliveries d SET status = u.status, attempt_count = d.attempt_base + u.attempt_count,
       next_attempt_at = u.next_attempt_at, last_error = u.last_error,
       delivered_at = CASE WHEN u.status = 'delivered' THEN now() END, updated_at = now()
     FROM unnest($1::uuid[], $2::text[], $3::int[], $4::timestamptz[], $5::text[])
       AS u (id, status, attempt_count, next_attempt_at, last_error)
     WHERE d.id = u.id AND d.status <> 'delivered' AND (u.status = 'delivered' OR d.status IN ('pending', 'held'))`,
    values: [
      finished.map(({ job }) => job.id),
      outcomes.map(({ status }) => status),
      outcomes.map(({ attemptCount }) => attemptCount),
      outcomes.map(({ nextAttemptAt }) => nextAttemptAt),
      finished.map(({ attempt }) => (attempt.errorCode === undefined ? null : describeFailure(attempt))),
    ],
  });
}

/** The first probe of a channel that was active waits for an interval. */
async function updateChannels(
  sql: Sql,
  changed: readonly { readonly after: ChannelState; readonly was: ChannelState['status'] }[],
  probeIntervalMs: number,
): Promise<void> {
  await sql.query({
    name: 'update_channels',
    text: `UPDATE notification_channels c SET status = u.status, consecutive_failures = u.failures,
       failure_reason = CASE WHEN u.status = 'active' THEN NULL ELSE u.reason END,
       failing_since = CASE WHEN u.status = 'failing' THEN CASE WHEN u.was_active THEN now() ELSE coalesce(c.failing_since, now()) END END,
       failed_at = CASE WHEN u.status = 'failed' THEN coalesce(c.failed_at, now()) END,
       probe_at = CASE WHEN u.status = 'failing' AND u.was_active THEN now() + $6 * interval '1 ms' ELSE c.probe_at END
     FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::boolean[]) AS u (id, status, failures, reason, was_active)
     WHERE c.id = u.id`,
    values: [
      changed.map(({ after }) => after.id),
      changed.map(({ after }) => after.status),
      changed.map(({ after }) => after.consecutiveFailures),
      changed.map(({ after }) => after.failureReason),
      changed.map(({ was }) => was === 'active'),
      probeIntervalMs,
    ],
  });
}

/**
 * Inserts the event `channel.failed` in the transaction in which the channel fails. It is dispatched from the
 * table to the project's other channels that want it. It belongs to no chain, so its sequence is counted
 * under none.
 */
async function insertChannelFailed(
  sql: Sql,
  { id, projectId, kind, name, failureReason }: ChannelState,
): Promise<void> {
  const failedAt = new Date().toISOString();
  const { rows } = await sql.query<{ value: number }>(
    `INSERT INTO project_sequences (project_id, chain_gid, value) VALUES ($1, '', 1)
     ON CONFLICT (project_id, chain_gid) DO UPDATE SET value = project_sequences.value + 1 RETURNING value`,
    [projectId],
  );
  const event: EventEnvelope<'channel.failed'> = {
    event_id: uuidv5([projectId, 'channel.failed', id, failedAt].join('|')),
    type: 'channel.failed',
    api_version: 'v1',
    created_at: failedAt,
    is_test_message: false,
    project_id: projectId,
    sequence: rows[0]!.value,
    data: {
      channel: {
        id,
        kind,
        name,
        failed_at: failedAt,
        failure_reason: failureReason ?? '',
      },
    },
  };
  await sql.query(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload, created_at) VALUES ($1, $2, $3, $4, 'channel.failed', $5, $6)`,
    [event.event_id, projectId, event.type, event.sequence, JSON.stringify(event), failedAt],
  );
}

/** The actor of what a service does on its own. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Stores where receivers say that they are now, with a row in the audit log. A channel that somebody changed meanwhile, or
 * that another attempt moved already, stays as it is.
 */
async function moveChannels(sql: Sql, finished: readonly FinishedAttempt[]): Promise<void> {
  for (const { job, attempt } of finished) {
    if (attempt.move === undefined || attempt.isShared === true) continue;
    const { from, to } = attempt.move;
    const changes = Object.fromEntries(
      Object.entries(to).map(([name, value]) => [name, { from: from[name] ?? null, to: value }]),
    );
    await sql.query(
      `WITH moved AS (
         UPDATE notification_channels SET config = config || $3::jsonb, updated_at = now()
         WHERE id = $1 AND config @> $2::jsonb RETURNING id, project_id
       )
       INSERT INTO audit_logs (workspace_id, actor_type, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id)
       SELECT p.workspace_id, 'service', $4, 'notifier', '', 'channel.moved', 'channel', m.id, $5, ''
       FROM moved m JOIN projects p ON p.id = m.project_id`,
      [job.channelId, JSON.stringify(from), JSON.stringify(to), NOBODY, JSON.stringify(changes)],
    );
  }
}
