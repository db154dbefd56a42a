import type { Sql } from '@chainwatch/db';

export interface EventRow {
  readonly id: number;
  readonly event_id: string;
  readonly project_id: string;
  readonly type: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly created_at: Date;
}

/** In order, without those that are dispatched already or held for now. */
export async function selectEvents(planned: Sql, eventIds: readonly string[]): Promise<readonly EventRow[]> {
  const { rows } = await planned.query<EventRow>({
    name: 'select_events',
    text: `SELECT e.* FROM event_keys k
           CROSS JOIN LATERAL (
             SELECT id, event_id, project_id, type, payload, traceparent, created_at FROM event_log
             WHERE id = k.row_id AND NOT is_held
               AND (SELECT true FROM undispatched_events u WHERE u.event_row_id = event_log.id) OFFSET 0) e
           WHERE k.event_id = ANY($1::uuid[]) ORDER BY e.id`,
    values: [eventIds],
  });
  return rows;
}
