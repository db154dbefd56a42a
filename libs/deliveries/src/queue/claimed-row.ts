import type { DeliveryJob } from '../delivery-job.ts';

export interface ClaimedRow {
  readonly id: string;
  readonly channel_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly attempt_count: number;
  readonly attempt_base: number;
  readonly is_test: boolean;
  readonly is_historical: boolean;
  readonly due_at: Date;
  /** Of rows that did not wait for their channel. */
  readonly event_at?: Date;
}

/** Columns of a delivery `d` and its event `e`. */
export const CLAIMED_COLUMNS =
  'd.id, d.channel_id, d.event_id, d.event_type, e.payload, e.traceparent, d.attempt_count, d.attempt_base, d.is_test, d.is_historical';

/** The event of a delivery. Row by row (OFFSET 0): the planner counts every day of events for each row, not the one that it is in. */
export const eventOf = (eventId: string): string =>
  `SELECT l.payload, l.traceparent, l.created_at FROM event_keys k JOIN event_log l ON l.id = k.row_id WHERE k.event_id = ${eventId} OFFSET 0`;

/** In event order: UPDATE … RETURNING has no order of its own, and ids grow with their events. */
export function toJobs(rows: readonly ClaimedRow[], isProbe: boolean): DeliveryJob[] {
  return rows
    .map((row) => ({
      id: row.id,
      channelId: row.channel_id,
      eventId: row.event_id,
      eventType: row.event_type,
      payload: row.payload,
      traceparent: row.traceparent ?? undefined,
      attemptCount: row.attempt_count - row.attempt_base,
      isFirst: row.attempt_count === 0,
      dueAt: row.due_at,
      isProbe,
      eventAt: row.is_test || row.is_historical || row.attempt_base > 0 ? undefined : row.event_at,
      isTest: row.is_test,
      isHistorical: row.is_historical,
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}
