import type { Sql } from '@chainwatch/db';
import type { Channel } from '../channel-store.ts';
import type { HistoricalEvent } from './list-historical.ts';

interface HistoricalDeliveries {
  readonly channel: Channel;
  /** Rows that are done with these deliveries. */
  readonly rowIds: readonly number[];
  readonly deliveries: readonly { readonly id: string; readonly event: HistoricalEvent }[];
}

/** Inserts the deliveries that are not there yet, claimed, and takes their rows away. Returns the ids that were new. */
export async function insertHistorical(
  db: Sql,
  { channel, rowIds, deliveries }: HistoricalDeliveries,
  visibilityMs: number,
): Promise<ReadonlySet<string>> {
  if (rowIds.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>(
    `WITH taken AS (DELETE FROM historical_dispatches WHERE channel_id = $1 AND event_row_id = ANY($2::bigint[]))
     INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, is_historical)
     SELECT u.id, $3, $1, u.event_id, u.event_type, 'pending', now() + $8 * interval '1 ms', u.is_historical
     FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::boolean[]) AS u (id, event_id, event_type, is_historical)
     WHERE EXISTS (SELECT FROM notification_channels c WHERE c.id = $1)
     ON CONFLICT (channel_id, event_id) DO NOTHING RETURNING id`,
    [
      channel.id,
      rowIds,
      channel.projectId,
      deliveries.map(({ id }) => id),
      deliveries.map(({ event }) => event.event_id),
      deliveries.map(({ event }) => event.type),
      deliveries.map(({ event }) => event.is_historical),
      visibilityMs,
    ],
  );
  return new Set(rows.map(({ id }) => id));
}
