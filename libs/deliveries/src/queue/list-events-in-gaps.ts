import type { Sql } from '@chainwatch/db';
import { toColumns } from './store-deliveries.ts';
import { FROM_UNDISPATCHED, UNDISPATCHED_COLUMNS, type UndispatchedEvent } from './undispatched-event.ts';

/** Sequences of a project's events on a chain, both ends not included. */
export interface EventGap {
  readonly projectId: string;
  readonly chainGid: string;
  readonly after: number;
  readonly before: number;
}

/** Events in these gaps that were not dispatched yet, in order. */
export async function listEventsInGaps(
  db: Sql,
  gaps: readonly EventGap[],
): Promise<readonly UndispatchedEvent[]> {
  const { rows } = await db.query<UndispatchedEvent>(
    `SELECT ${UNDISPATCHED_COLUMNS} ${FROM_UNDISPATCHED}
     JOIN unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS g (project_id, chain_gid, after, before)
       ON e.project_id = g.project_id AND e.chain_gid = g.chain_gid AND e.sequence > g.after AND e.sequence < g.before
     ORDER BY u.event_row_id`,
    toColumns(gaps, ['projectId', 'chainGid', 'after', 'before']),
  );
  return rows;
}
