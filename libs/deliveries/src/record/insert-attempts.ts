import type { Sql } from '@chainwatch/db';
import { attemptColumns } from './attempt-columns.ts';
import type { FinishedAttempt } from './finished-attempt.ts';

/** Skips deliveries whose channel was deleted meanwhile: they are gone, and their attempts with them. */
export async function insertAttempts(sql: Sql, finished: readonly FinishedAttempt[]): Promise<void> {
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
