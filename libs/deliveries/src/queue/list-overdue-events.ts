import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';
import { SELECT_UNDISPATCHED, type UndispatchedEvent } from './undispatched-event.ts';

export interface OverdueEventsQuery {
  readonly olderThanMs: number;
  readonly limit: number;
  readonly partitions: Partitions;
}

/**
 * Events of this replica's projects that nobody completed in time, in order. A time in the future comes from
 * a clock that runs ahead; such an event counts as overdue at once.
 */
export async function listOverdueEvents(
  db: Sql,
  { olderThanMs, limit, partitions }: OverdueEventsQuery,
): Promise<readonly UndispatchedEvent[]> {
  const { rows } = await db.query<UndispatchedEvent>(
    `${SELECT_UNDISPATCHED}
     WHERE e.created_at NOT BETWEEN now() - $1 * interval '1 ms' AND now() AND ${inPartitions('e.project_id', 3)}
     ORDER BY u.event_row_id LIMIT $2`,
    [olderThanMs, limit, partitions ?? null],
  );
  return rows;
}
