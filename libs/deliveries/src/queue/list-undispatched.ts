import type { Sql } from '@chainwatch/db';
import {
  FROM_UNDISPATCHED,
  IS_SET_ASIDE,
  UNDISPATCHED_COLUMNS,
  type UndispatchedEvent,
} from './undispatched-event.ts';

/** A page of undispatched events in order, behind the row `after`. */
export async function listUndispatched(
  db: Sql,
  after: number,
  limit: number,
): Promise<readonly UndispatchedEvent[]> {
  const { rows } = await db.query<UndispatchedEvent>(
    `SELECT ${UNDISPATCHED_COLUMNS} ${FROM_UNDISPATCHED} WHERE u.event_row_id > $1 AND NOT ${IS_SET_ASIDE} ORDER BY u.event_row_id LIMIT $2`,
    [after, limit],
  );
  return rows;
}
