// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { StatementLostError } from './statement-errors.ts';
import type { StatementFormatName, StatementRequest } from '../records/statement.ts';

/** A statement that this process writes. Each claim is another attempt, so that an earlier one writes nothing more. */
export interface ClaimedStatement {
  readonly id: string;
  readonly projectId: string;
  readonly request: StatementRequest;
  readonly format: StatementFormatName;
  readonly attempt: number;
}

export interface Progress {
  readonly addresses: number;
  readonly movements: number;
  readonly gaps: number;
  /** Balances with a part that no movement explains. */
  readonly unexplained: number;
}

/** A holder renews every 5 s; a dead one's statement begins again after so long. */
const LEASE = `interval '30 seconds'`;
/** Afterwards it has failed: what ends a process each time would end all of them in turn. */
const ATTEMPTS_MAX = 5;
const KEPT = `interval '90 days'`;

interface ClaimedRow {
  readonly id: string;
  readonly project_id: string;
  readonly request: StatementRequest;
  readonly format: StatementFormatName;
  readonly attempt: number;
}

/**
 * Claims the next statement: of the workspace that was served longest ago, the oldest one. What an earlier attempt wrote is
 * removed afterwards, when it can write no more.
 */
export async function claimStatement(sql: Sql): Promise<ClaimedStatement | undefined> {
  await failAbandoned(sql);
  const { rows } = await sql.query<ClaimedRow>(
    `WITH next AS (
       SELECT s.id FROM statements s JOIN projects p ON p.id = s.project_id
       WHERE s.status = 'queued' OR (s.status = 'running' AND s.lease_until < clock_timestamp())
       ORDER BY (SELECT max(o.started_at) FROM projects q JOIN statements o ON o.project_id = q.id WHERE q.workspace_id = p.workspace_id) NULLS FIRST, s.created_at, s.id
       LIMIT 1 FOR UPDATE OF s SKIP LOCKED
     )
     UPDATE statements s SET status = 'running', attempt = s.attempt + 1, started_at = clock_timestamp(), lease_until = clock_timestamp() + ${LEASE},
       addresses_done = 0, movement_count = 0, gap_count = 0, unexplained_count = 0
     FROM next WHERE s.id = next.id RETURNING s.id, s.project_id, s.request, s.format, s.attempt`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  await sql.query('DELETE FROM statement_parts WHERE statement_id = $1', [row.id]);
  const { project_id: projectId, ...claimed } = row;
  return { ...claimed, projectId };
}

/** Those whose processes died with each attempt. */
async function failAbandoned(sql: Sql): Promise<void> {
  await sql.query(
    `UPDATE statements SET status = 'failed', reason = 'The service was interrupted each time it wrote the statement.', lease_until = NULL,
       finished_at = now(), expires_at = now() + ${KEPT}
     WHERE status = 'running' AND lease_until < clock_timestamp() AND attempt >= ${ATTEMPTS_MAX}`,
  );
}

/** @throws StatementLostError */
export async function renewStatement(sql: Sql, held: ClaimedStatement, progress: Progress): Promise<void> {
  await holding(sql, held, {
    text: `UPDATE statements SET lease_until = clock_timestamp() + ${LEASE}, addresses_done = $3, movement_count = $4, gap_count = $5, unexplained_count = $6 WHERE ${HELD}`,
    values: [progress.addresses, progress.movements, progress.gaps, progress.unexplained],
  });
}

/** Only whoever holds the statement stores a part of it. @throws StatementLostError */
export async function storePart(
  sql: Sql,
  held: ClaimedStatement,
  { index, bytes }: { readonly index: number; readonly bytes: Buffer },
): Promise<void> {
  await holding(sql, held, {
    text: `INSERT INTO statement_parts (statement_id, index, bytes)
     SELECT id, $3, $4 FROM (SELECT id FROM statements WHERE ${HELD} FOR UPDATE) s`,
    values: [index, bytes],
  });
}

interface Result {
  readonly size: number;
  readonly sha256: string;
  readonly signature: string;
  readonly kid: string;
  readonly progress: Progress;
}

/** @throws StatementLostError */
export async function completeStatement(sql: Sql, held: ClaimedStatement, result: Result): Promise<void> {
  const { size, sha256, signature, kid, progress } = result;
  await holding(sql, held, {
    text: `UPDATE statements SET status = 'completed', reason = NULL, lease_until = NULL, finished_at = now(), expires_at = now() + ${KEPT},
       size = $3, sha256 = $4, signature = $5, kid = $6, addresses_done = $7, movement_count = $8, gap_count = $9, unexplained_count = $10 WHERE ${HELD}`,
    values: [
      ...[size, sha256, signature, kid],
      ...[progress.addresses, progress.movements, progress.gaps, progress.unexplained],
    ],
  });
}

/** Ends an attempt without a result. @param then what becomes of the statement; `retry` fails it after its last attempt */
export async function giveUpStatement(
  sql: Sql,
  { id, attempt }: ClaimedStatement,
  { reason, then }: { readonly reason: string | null; readonly then: 'fail' | 'retry' | 'queue' },
): Promise<void> {
  await sql.query(
    `WITH ended AS (
       UPDATE statements SET status = CASE WHEN $4 THEN 'failed' ELSE 'queued' END, reason = $3, lease_until = NULL,
         finished_at = CASE WHEN $4 THEN now() END, expires_at = CASE WHEN $4 THEN now() + ${KEPT} END
       WHERE ${HELD} RETURNING id)
     DELETE FROM statement_parts USING ended WHERE statement_id = ended.id`,
    [id, attempt, reason, then === 'fail' || (then === 'retry' && attempt >= ATTEMPTS_MAX)],
  );
}

const HELD = `id = $1 AND attempt = $2 AND status = 'running'`;

async function holding(
  sql: Sql,
  { id, attempt }: ClaimedStatement,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<void> {
  const { rowCount } = await sql.query(text, [id, attempt, ...values]);
  if (rowCount !== 1) throw new StatementLostError(id);
}
