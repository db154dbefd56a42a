import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';
import {
  FROM_UNDISPATCHED,
  IS_SET_ASIDE,
  UNDISPATCHED_COLUMNS,
  type UndispatchedEvent,
} from './undispatched-event.ts';

export interface OverdueEventsQuery {
  readonly olderThanMs: number;
  readonly limit: number;
  readonly partitions: Partitions;
}

export interface OverdueEvent extends UndispatchedEvent {
  readonly isOverdue: boolean;
}

/**
 * Undispatched events of this replica's projects, in order, and whether somebody should have completed them by now. A time
 * so far in the future comes from a clock that ran ahead, and counts as overdue, too; that of an event which was committed
 * while this statement began is a little ahead.
 */
export async function listOverdueEvents(
  db: Sql,
  { olderThanMs, limit, partitions }: OverdueEventsQuery,
): Promise<readonly OverdueEvent[]> {
  const { rows } = await db.query<OverdueEvent>(
    `SELECT ${UNDISPATCHED_COLUMNS},
       e.created_at NOT BETWEEN now() - $1 * interval '1 ms' AND now() + $1 * interval '1 ms' AS "isOverdue"
     ${FROM_UNDISPATCHED}
     WHERE ${inPartitions('e.project_id', 3)} AND NOT ${IS_SET_ASIDE}
     ORDER BY u.event_row_id LIMIT $2`,
    [olderThanMs, limit, partitions ?? null],
  );
  return rows;
}
