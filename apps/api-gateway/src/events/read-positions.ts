import type { Sql } from '@chainwatch/db';
import { EVENT_TYPES } from '@chainwatch/events';
import { gone, invalidRequest } from '@chainwatch/problem';
import { eventHorizon } from '../records/event.ts';
import { eventConditions, type EventFilters, type FilteredEvent } from './event-filters.ts';

export interface PositionedEvent extends FilteredEvent {
  readonly position: number;
  readonly payload: string;
}

export interface PositionsRead {
  readonly events: readonly PositionedEvent[];
  /** Everything up to here was read, filtered-out events included. */
  readonly lastPosition: number;
  readonly hasMore: boolean;
}

export interface PositionsRequest {
  readonly projectId: string;
  readonly after: number;
  readonly limit: number;
  /** Absent: every event. */
  readonly filters?: EventFilters;
}

/** Positions that one read looks at, however few of their events the filters let through. */
const SCANNED_MAX = 2_000;

/**
 * The events behind a position, in the order of their positions. Row by row (OFFSET 0): the planner counts every day of
 * events for each row, not the one that it is in.
 */
export async function readPositions(
  sql: Sql,
  { projectId, after, limit, filters }: PositionsRequest,
): Promise<PositionsRead> {
  const values: unknown[] = [projectId, after];
  const where = filters === undefined ? 'true' : eventConditions(filters, values);
  const { rows } = await sql.query<Partial<PositionedEvent> & { scanned: number; scanned_to: number | null }>(
    `WITH scanned AS MATERIALIZED (
       SELECT position, event_row_id FROM event_positions WHERE project_id = $1 AND position > $2 ORDER BY position LIMIT ${SCANNED_MAX})
     SELECT s.scanned, s.scanned_to, r.* FROM (SELECT count(*) AS scanned, max(position) AS scanned_to FROM scanned) s
     LEFT JOIN LATERAL (
       SELECT p.position, e.type, e.chain_gid, e.transaction_id, e.subject_kind, e.created_at, e.payload
       FROM scanned p CROSS JOIN LATERAL (SELECT * FROM event_log WHERE id = p.event_row_id OFFSET 0) e WHERE ${where} ORDER BY p.position LIMIT ${limit}) r ON true
     ORDER BY r.position`,
    values,
  );
  const { scanned, scanned_to } = rows[0]!;
  const events = rows.filter((row): row is PositionedEvent & (typeof rows)[number] => row.position !== null);
  const last = events.at(-1)?.position;
  if (events.length === limit && last !== undefined)
    return { events, lastPosition: last, hasMore: last !== scanned_to || scanned === SCANNED_MAX };
  return { events, lastPosition: scanned_to ?? after, hasMore: scanned === SCANNED_MAX };
}

interface PositionBounds {
  readonly reached: number;
  readonly first: number | null;
  readonly is_expired: boolean | null;
}

/**
 * Whether nothing behind a position was lost.
 * @throws ProblemError 410 with the earliest position; 400 for a position that was never given
 */
export async function checkPosition(sql: Sql, projectId: string, after: number): Promise<void> {
  const horizon = eventHorizon();
  const { rows } = await sql.query<PositionBounds>(
    `SELECT coalesce((SELECT reached_position(p) FROM project_positions p WHERE project_id = $1), 0) AS reached,
       (SELECT min(position) FROM event_positions WHERE project_id = $1) AS first,
       (SELECT e.created_at < $3 FROM event_positions p CROSS JOIN LATERAL (SELECT created_at FROM event_log WHERE id = p.event_row_id OFFSET 0) e
        WHERE p.project_id = $1 AND p.position > $2 ORDER BY p.position LIMIT 1) AS is_expired`,
    [projectId, after, horizon],
  );
  const { reached, first, is_expired } = rows[0]!;
  if (after > reached)
    throw invalidRequest([{ name: 'after', reason: `expected at most ${reached}, got ${after}` }]);
  if (after >= (first ?? reached + 1) - 1 && is_expired !== true) return;
  const earliest = await findEarliest(sql, projectId, horizon);
  throw gone(
    `Events behind the position ${after} are kept no longer. Read from earliest_position on.`,
    earliest ?? reached,
  );
}

/** The position behind which nothing is missing: before the first event of each type that is still shown. */
async function findEarliest(sql: Sql, projectId: string, horizon: Date): Promise<number | undefined> {
  const { rows } = await sql.query<{ position: number | null }>(
    `SELECT min(p.position) AS position FROM event_positions p WHERE p.project_id = $1 AND p.event_row_id IN (
       SELECT r.id FROM unnest($3::text[]) AS t (type), LATERAL (
         SELECT id FROM event_log WHERE project_id = $1 AND type = t.type AND NOT is_held AND subject_kind <> 'test' AND created_at >= $2 ORDER BY created_at, id LIMIT 1) r
       UNION ALL
       (SELECT id FROM event_log WHERE project_id = $1 AND subject_kind = 'test' AND created_at >= $2 ORDER BY created_at, id LIMIT 1))`,
    [projectId, horizon, EVENT_TYPES],
  );
  const { position } = rows[0]!;
  return position === null ? undefined : position - 1;
}

/** The last position that was given; 0 before the first. */
export async function readLastPosition(sql: Sql, projectId: string): Promise<number> {
  const { rows } = await sql.query<{ last: number }>(
    'SELECT last_position AS last FROM project_positions WHERE project_id = $1',
    [projectId],
  );
  return rows[0]?.last ?? 0;
}
