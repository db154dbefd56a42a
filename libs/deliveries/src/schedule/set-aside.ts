// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { RETRY_EVERY, setAside, type Poison } from '@chainwatch/data/quarantine';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from './undispatched.ts';

/** `dispatch`: no deliveries can be made of the event. `records`: what came of an attempt to deliver it cannot be stored. */
type Step = 'dispatch' | 'records';

/** What is set aside (an event or a channel), and the event `e` that says where. */
interface Named {
  readonly id: string;
  readonly project_id: string;
  readonly chain_gid: string;
  readonly number: number;
  readonly hash: string;
}

const NAMED = `e.project_id, e.chain_gid, coalesce(t.block_number, 0) AS number, coalesce(t.block_hash, '') AS hash`;
const ON_A_CHAIN =
  'JOIN blockchains b ON b.gid = e.chain_gid LEFT JOIN transactions t ON t.id = e.transaction_id';

async function nameAll(
  db: Sql,
  rows: readonly Named[],
  of: {
    readonly step: string;
    readonly type: 'event' | 'channel';
    readonly errorOf: (id: string) => unknown;
  },
): Promise<void> {
  const { step, type, errorOf } = of;
  for (const { id, project_id: projectId, chain_gid: chainGid, number, hash } of rows)
    await setAside(db, chainGid, [
      { step, projectId, error: errorOf(id), subject: { type, id }, block: { number, hash } },
    ]);
}

/** Names events with which a step fails even alone, to their projects. Those without a chain have no incident: returns them. */
export async function setAsideEvents<E extends { readonly eventId: string }>(
  db: Sql,
  step: Step,
  poison: readonly Poison<E>[],
): Promise<readonly Poison<E>[]> {
  const { rows } = await db.query<Named>(
    `SELECT e.event_id AS id, ${NAMED} FROM event_keys k JOIN event_log e ON e.id = k.row_id ${ON_A_CHAIN}
     WHERE k.event_id = ANY($1::uuid[])`,
    [poison.map(({ item }) => item.eventId)],
  );
  const errorOf = new Map(poison.map(({ item, error }) => [item.eventId, error]));
  await nameAll(db, rows, { step, type: 'event', errorOf: (id) => errorOf.get(id) });
  const named = new Set(rows.map(({ id }) => id));
  return poison.filter(({ item }) => !named.has(item.eventId));
}

/** After a start all of them are tried again. */
export async function retryEvents(db: Sql): Promise<void> {
  await db.query(
    `UPDATE incidents SET retry_at = clock_timestamp() WHERE kind IN ('poison:dispatch', 'poison:records') AND status = 'quarantined'`,
  );
}

/** Ends the incidents of events that were dispatched meanwhile, or are gone. */
export async function endDispatched(db: Sql): Promise<void> {
  await db.query({
    name: 'end_set_aside_events',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:dispatch' AND status = 'quarantined' AND NOT EXISTS (
        SELECT FROM event_keys k JOIN undispatched_events u ON u.event_row_id = k.row_id WHERE k.event_id = i.subject_id::uuid)`,
  });
}

/** Puts off a delivery of which no outcome can be stored: else it would be sent again and again. It holds back nothing. */
export async function putOffDelivery(db: Sql, id: string): Promise<void> {
  await db.query(
    `UPDATE deliveries SET next_attempt_at = now() + ${RETRY_EVERY}, last_error = 'internal_error' WHERE id = $1 AND status = 'pending'`,
    [id],
  );
}

/** Ends the incidents of events whose deliveries are done; makes due what was put off and is to be tried again. */
export async function retryPutOff(db: Sql): Promise<void> {
  const own = `SELECT FROM notification_channels c JOIN deliveries d ON d.channel_id = c.id AND d.event_id = i.subject_id::uuid
    WHERE c.project_id = i.project_id AND d.status IN ('pending', 'held')`;
  await db.query({
    name: 'end_put_off',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:records' AND status = 'quarantined' AND NOT EXISTS (${own})`,
  });
  await db.query({
    name: 'retry_put_off',
    text: `WITH due AS (
        UPDATE incidents SET retry_at = clock_timestamp() + ${RETRY_EVERY}
        WHERE kind = 'poison:records' AND status = 'quarantined' AND retry_at <= clock_timestamp() RETURNING project_id, subject_id::uuid AS event_id)
      UPDATE deliveries d SET next_attempt_at = now() FROM due JOIN notification_channels c ON c.project_id = due.project_id
      WHERE d.channel_id = c.id AND d.event_id = due.event_id AND d.status = 'pending' AND d.next_attempt_at > now()`,
  });
}

interface Kept {
  readonly channel: Channel;
  readonly rowId: number;
}

/**
 * Keeps events for channels of their projects whose config cannot be read, and names these to their projects. Which of the
 * events such a channel wants is known once it can be read: then they are delivered as history is (`scheduleHistory`), in
 * order, behind what comes from then on. Returns the channels that were named now. Idempotent.
 */
export async function keepForUnreadable(
  db: Sql,
  events: readonly EventRow[],
  channels: readonly Channel[],
): Promise<readonly Channel[]> {
  const unreadable = channels.filter(({ isUnreadable }) => isUnreadable === true);
  const kept = unreadable.flatMap((channel) =>
    events
      .filter(({ project_id }) => project_id === channel.projectId)
      .map(({ id }): Kept => ({ channel, rowId: id })),
  );
  if (kept.length === 0) return [];
  await db.query(
    `INSERT INTO historical_dispatches (channel_id, event_row_id)
     SELECT c.id, u.row_id FROM unnest($1::uuid[], $2::bigint[]) AS u (channel_id, row_id) JOIN notification_channels c ON c.id = u.channel_id
     ON CONFLICT DO NOTHING`,
    toColumns(kept),
  );
  return nameUnreadable(db, kept);
}

/** Once for each chain on which events are kept, with the first of them. */
async function nameUnreadable(db: Sql, kept: readonly Kept[]): Promise<readonly Channel[]> {
  const { rows } = await db.query<Named>(
    `SELECT DISTINCT ON (u.channel_id, e.chain_gid) u.channel_id AS id, ${NAMED}
     FROM unnest($1::uuid[], $2::bigint[]) AS u (channel_id, row_id) JOIN event_log e ON e.id = u.row_id ${ON_A_CHAIN}
     WHERE NOT EXISTS (SELECT FROM incidents i WHERE i.chain_gid = e.chain_gid AND i.kind = 'poison:channels'
       AND i.subject_id = u.channel_id::text AND i.status = 'quarantined')
     ORDER BY u.channel_id, e.chain_gid, e.id`,
    toColumns(kept),
  );
  const channelOf = new Map(kept.map(({ channel }) => [channel.id, channel]));
  await nameAll(db, rows, { step: 'channels', type: 'channel', errorOf: (id) => channelOf.get(id)!.fault });
  return [...new Set(rows.map(({ id }) => channelOf.get(id)!))];
}

const toColumns = (kept: readonly Kept[]): unknown[][] => [
  kept.map(({ channel }) => channel.id),
  kept.map(({ rowId }) => rowId),
];

/** Ends the incidents of channels for which nothing is kept any more. */
export async function endUnreadable(db: Sql): Promise<void> {
  await db.query({
    name: 'end_unreadable_channels',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:channels' AND status = 'quarantined'
        AND NOT EXISTS (SELECT FROM historical_dispatches h WHERE h.channel_id = i.subject_id::uuid)`,
  });
}
