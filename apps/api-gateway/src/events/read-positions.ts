// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { gone, invalidRequest } from '@chainwatch/common/problem';
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
/** Reads that look for the first event that is kept: for a tenth of a second or so. */
const EARLIEST_READS_MAX = 10;

/** The events behind a position, in the order of their positions. */
export function readPositions(sql: Sql, request: PositionsRequest): Promise<PositionsRead> {
  const { filters } = request;
  return scanPositions(sql, request, (values) =>
    filters === undefined ? 'true' : eventConditions(filters, values),
  );
}

/**
 * Row by row (OFFSET 0): the planner counts every day of events for each row, not the one that it is in.
 * @param condition SQL on events `e`, whose values it adds
 */
async function scanPositions(
  sql: Sql,
  { projectId, after, limit }: PositionsRequest,
  condition: (values: unknown[]) => string,
): Promise<PositionsRead> {
  const values: unknown[] = [projectId, after];
  const where = condition(values);
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
  readonly last: number;
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
       coalesce((SELECT last_position FROM project_positions WHERE project_id = $1), 0) AS last,
       (SELECT min(position) FROM event_positions WHERE project_id = $1) AS first,
       (SELECT e.created_at < $3 FROM event_positions p CROSS JOIN LATERAL (SELECT created_at FROM event_log WHERE id = p.event_row_id OFFSET 0) e
        WHERE p.project_id = $1 AND p.position > $2 ORDER BY p.position LIMIT 1) AS is_expired`,
    [projectId, after, horizon],
  );
  const { reached, last, first, is_expired } = rows[0]!;
  if (after > reached)
    throw invalidRequest([{ name: 'after', reason: `expected at most ${reached}, got ${after}` }]);
  if (after >= (first ?? last + 1) - 1 && is_expired !== true) return;
  const earliest = await findEarliest(sql, { projectId, after, limit: 1 }, horizon);
  throw gone(
    `Events after the position ${after} are no longer stored. Continue from earliest_position.`,
    earliest ?? reached,
  );
}

/**
 * The position before the first event that is still shown; none: there is no such event. Where it lies far behind, a position
 * up to which there is none: whoever reads from there is told of a later one.
 */
async function findEarliest(sql: Sql, request: PositionsRequest, horizon: Date): Promise<number | undefined> {
  let { after } = request;
  for (let reads = 0; reads < EARLIEST_READS_MAX; reads += 1) {
    const read = await scanPositions(
      sql,
      { ...request, after },
      (values) => `e.created_at >= $${values.push(horizon)}`,
    );
    const [first] = read.events;
    if (first !== undefined) return first.position - 1;
    if (!read.hasMore) return undefined;
    after = read.lastPosition;
  }
  return after;
}

/** The last position that was given; 0 before the first. */
export async function readLastPosition(sql: Sql, projectId: string): Promise<number> {
  const { rows } = await sql.query<{ last: number }>(
    'SELECT last_position AS last FROM project_positions WHERE project_id = $1',
    [projectId],
  );
  return rows[0]?.last ?? 0;
}
