import type { Sql } from '@chainwatch/db';
import { toColumns } from './to-columns.ts';

export interface NewDelivery {
  readonly id: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Held: parked in the database until its channel has room for it. */
  readonly status: 'pending' | 'held';
}

/**
 * Inserts the rows that are not there yet. Returns the ids that were new. The commit does not wait for the
 * disk: in the write-ahead log these rows stand before the mark that their events were dispatched and before
 * the outcomes of their attempts, so that a server that crashes never has these without the rows.
 */
export async function insertDeliveries(
  planned: Sql,
  deliveries: readonly NewDelivery[],
  visibilityMs: number,
): Promise<ReadonlySet<string>> {
  if (deliveries.length === 0) return new Set();
  const { rows } = await planned.query<{ id: string }>({
    name: 'insert_deliveries',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at)
     SELECT u.*, now() + $7 * interval '1 ms'
     FROM relaxed, unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
       AS u (id, project_id, channel_id, event_id, event_type, status)
     WHERE EXISTS (SELECT 1 FROM notification_channels c WHERE c.id = u.channel_id)
     ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id`,
    values: [
      ...toColumns(deliveries, ['id', 'projectId', 'channelId', 'eventId', 'eventType', 'status']),
      visibilityMs,
    ],
  });
  return new Set(rows.map(({ id }) => id));
}
