/** An event whose deliveries are not complete yet. */
export interface UndispatchedEvent {
  readonly id: number;
  readonly eventId: string;
  readonly projectId: string;
}

export const UNDISPATCHED_COLUMNS = 'e.id, e.event_id AS "eventId", e.project_id AS "projectId"';

/** Whether the event `e` (SQL) is set aside, and not to be tried again yet. */
export const IS_SET_ASIDE = `EXISTS (SELECT FROM incidents q WHERE q.chain_gid = e.chain_gid AND q.kind = 'poison:dispatch'
  AND q.subject_type = 'event' AND q.subject_id = e.event_id::text AND q.status = 'quarantined' AND q.retry_at > clock_timestamp())`;

/**
 * Events `e` of rows `u`. OFFSET 0 makes the planner go row by row in the order of the queue, because it
 * cannot know how short the queue is.
 */
export const FROM_UNDISPATCHED = `
  FROM undispatched_events u
  CROSS JOIN LATERAL (
    SELECT id, event_id, project_id, chain_gid, sequence, created_at FROM event_log
    WHERE id = u.event_row_id AND NOT is_held OFFSET 0) e`;
