import type { Sql } from '@chainwatch/db';
import { attemptColumns } from './attempt-columns.ts';
import type { FinishedAttempt } from './finished-attempt.ts';

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
