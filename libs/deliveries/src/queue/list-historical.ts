import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';
import type { EventRow } from './select-events.ts';

/** Of history, or (not historical) kept while its channel could not be read. */
export interface HistoricalEvent extends EventRow {
  readonly is_historical: boolean;
}

/** Channels of this replica that are open and have events of history before them, or do not want them any more. */
export async function listHistoryChannels(db: Sql, partitions: Partitions): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT c.id FROM notification_channels c
     WHERE (c.status = 'active' AND NOT c.is_archived OR c.config -> 'include_historical' IS DISTINCT FROM 'true') AND ${inPartitions('c.id', 1)}
       AND EXISTS (SELECT FROM historical_dispatches h WHERE h.channel_id = c.id)`,
    [partitions ?? null],
  );
  return rows.map(({ id }) => id);
}

/** The channel's next rows in order, and their events; one that is held waits, one that was deleted has none. */
export async function listHistorical(
  db: Sql,
  channelId: string,
  limit: number,
): Promise<{ readonly rowIds: readonly number[]; readonly events: readonly HistoricalEvent[] }> {
  const { rows } = await db.query<{ row_id: number } & Partial<HistoricalEvent>>(
    `SELECT h.event_row_id AS row_id, e.id, e.event_id, e.project_id, e.type, e.payload, e.traceparent, e.subject_kind = 'history' AS is_historical
     FROM historical_dispatches h LEFT JOIN LATERAL (SELECT * FROM event_log WHERE id = h.event_row_id OFFSET 0) e ON true
     WHERE h.channel_id = $1 AND e.is_held IS NOT TRUE ORDER BY h.event_row_id LIMIT $2`,
    [channelId, limit],
  );
  return {
    rowIds: rows.map((row) => row.row_id),
    events: rows.filter((row): row is { row_id: number } & HistoricalEvent => typeof row.id === 'number'),
  };
}

const DISCARD_MAX = 10_000;

/** The channel does not include history any more. What was kept while it could not be read stays. */
export async function discardHistory(db: Sql, channelId: string): Promise<void> {
  await db.query(
    `DELETE FROM historical_dispatches h USING (
       SELECT event_row_id FROM historical_dispatches WHERE channel_id = $1 ORDER BY event_row_id LIMIT ${DISCARD_MAX}) n
     WHERE h.channel_id = $1 AND h.event_row_id = n.event_row_id
       AND coalesce((SELECT subject_kind FROM event_log WHERE id = h.event_row_id), 'history') = 'history'`,
    [channelId],
  );
}
