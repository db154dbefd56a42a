// SPDX-License-Identifier: Apache-2.0
import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import { type Channel, isOpen } from '../channel-store.ts';
import { countExpressionFaults } from '../schedule/count-expression-faults.ts';
import { findWantedEvents } from '../schedule/find-wanted-events.ts';
import { findLeftOut } from '../schedule/read-left-out.ts';
import { orderingKeyOf, storedKey } from '../schedule/ordering-key.ts';
import type { EventRow } from '../schedule/undispatched.ts';
import { inPartitions, type Partitions } from './table.ts';

/** Of history, or (not historical) kept while its channel could not be read. */
interface HistoricalEvent extends EventRow {
  readonly is_historical: boolean;
}

/** Deliveries of history that a channel has at most: what is live goes before all others. */
const HISTORY_MAX = 32;
const DISCARD_MAX = 10_000;

/** Channels of these partitions that are open and have events of history before them, or do not want them any more. */
export async function listHistoryChannels(db: Sql, partitions: Partitions): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT c.id FROM notification_channels c
     WHERE (c.status = 'active' AND NOT c.is_archived OR c.config -> 'include_historical' IS DISTINCT FROM 'true') AND ${inPartitions('c.id', 1)}
       AND EXISTS (SELECT FROM historical_dispatches h WHERE h.channel_id = c.id)`,
    [partitions ?? null],
  );
  return rows.map(({ id }) => id);
}

/**
 * Makes deliveries of the channel's next events of history, and of what was kept while it could not be read. Those of a
 * closed channel wait until it is open again.
 * @param isFree the channel has nothing else to do
 * @returns whether there may be more, and whether deliveries were made
 */
export async function scheduleHistory(
  db: Sql,
  channel: Channel,
  { isFree, logger }: { readonly isFree: boolean; readonly logger: Pick<Logger, 'error'> },
): Promise<{ readonly hasMore: boolean; readonly hasMade: boolean }> {
  const nothing = { hasMore: false, hasMade: false };
  if (channel.isUnreadable === true) return nothing;
  if (channel.includesHistory !== true) await discardHistory(db, channel.id);
  if (!isOpen(channel) || !isFree) return nothing;
  const { events, rowIds } = await listHistorical(db, channel.id);
  const asked = events.filter((event) => channel.includesHistory === true || !event.is_historical);
  const { wanted, faults } = await findWantedEvents(asked, {
    channels: [channel],
    leftOut: await findLeftOut(db, asked, [channel]),
    onFault: ({ id }, err) => logger.error({ err, channel_id: id }, 'failed to read channel filters'),
  });
  const mine = wanted.filter(({ channels: of }) => of.length > 0).map(({ event }) => event);
  await storeHistorical(db, { channel, rowIds, events: mine });
  await countExpressionFaults(db, faults);
  return { hasMore: rowIds.length === HISTORY_MAX, hasMade: mine.length > 0 };
}

/** The channel's next rows in order, and their events; one that is held waits, one that was deleted has none. */
async function listHistorical(
  db: Sql,
  channelId: string,
): Promise<{ readonly rowIds: readonly number[]; readonly events: readonly HistoricalEvent[] }> {
  const { rows } = await db.query<{ row_id: number } & Partial<HistoricalEvent>>(
    `SELECT h.event_row_id AS row_id, e.id, e.event_id, e.project_id, e.type, e.payload, e.subject_kind = 'history' AS is_historical
     FROM historical_dispatches h LEFT JOIN LATERAL (SELECT * FROM event_log WHERE id = h.event_row_id OFFSET 0) e ON true
     WHERE h.channel_id = $1 AND e.is_held IS NOT TRUE ORDER BY h.event_row_id LIMIT ${HISTORY_MAX}`,
    [channelId],
  );
  return {
    rowIds: rows.map((row) => row.row_id),
    events: rows.filter((row): row is { row_id: number } & HistoricalEvent => typeof row.id === 'number'),
  };
}

/** Inserts the deliveries that are not there yet, and takes their rows away. */
async function storeHistorical(
  db: Sql,
  {
    channel,
    rowIds,
    events,
  }: {
    readonly channel: Channel;
    readonly rowIds: readonly number[];
    readonly events: readonly HistoricalEvent[];
  },
): Promise<void> {
  if (rowIds.length === 0) return;
  await db.query(
    `WITH taken AS (DELETE FROM historical_dispatches WHERE channel_id = $1 AND event_row_id = ANY($2::bigint[]))
     INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, is_historical, ordering_key)
     SELECT u.id, $3, $1, u.event_id, u.event_type, 'pending', now(), u.is_historical, ${storedKey('u.ordering_key')}
     FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::boolean[], $8::int[]) AS u (id, event_id, event_type, is_historical, ordering_key)
     JOIN notification_channels c ON c.id = $1
     ON CONFLICT (channel_id, event_id) DO NOTHING`,
    [
      channel.id,
      rowIds,
      channel.projectId,
      events.map(() => uuidv7()),
      events.map(({ event_id }) => event_id),
      events.map(({ type }) => type),
      events.map(({ is_historical }) => is_historical),
      events.map((event) => orderingKeyOf(channel, event)),
    ],
  );
}

/** The channel does not include history any more. What was kept while it could not be read stays. */
async function discardHistory(db: Sql, channelId: string): Promise<void> {
  await db.query(
    `DELETE FROM historical_dispatches h USING (
       SELECT event_row_id FROM historical_dispatches WHERE channel_id = $1 ORDER BY event_row_id LIMIT ${DISCARD_MAX}) n
     WHERE h.channel_id = $1 AND h.event_row_id = n.event_row_id
       AND coalesce((SELECT subject_kind FROM event_log WHERE id = h.event_row_id), 'history') = 'history'`,
    [channelId],
  );
}
