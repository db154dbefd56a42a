import type { Sql } from '@chainwatch/db';
import { describeFailure, type DeliveryOutcome } from './decide-outcome.ts';
import type { FinishedAttempt } from './finished-attempt.ts';

/** A delivered row stays delivered, whatever a second worker's late attempt says. */
export async function updateDeliveries(
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
