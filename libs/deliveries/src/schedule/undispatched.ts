// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Channel } from '../channel-store.ts';
import { addFaults, type ExpressionFault } from './count-expression-faults.ts';
import { orderingKeyOf, storedKey } from './ordering-key.ts';

/** An event whose deliveries are to be made. */
export interface EventRow {
  /** Of the table of events; within a project and chain it grows with the sequence. */
  readonly id: number;
  readonly event_id: string;
  readonly project_id: string;
  readonly type: string;
  readonly payload: string;
}

/** An event and all channels that want it, whoever owns them. */
export interface WantedEvent<E extends Pick<EventRow, 'id'> = EventRow> {
  readonly event: E;
  readonly channels: readonly Channel[];
}

/** Whether the event `e` (SQL) is set aside, and not to be tried again yet. */
const IS_SET_ASIDE = `EXISTS (SELECT FROM incidents q WHERE q.chain_gid = e.chain_gid AND q.kind = 'poison:dispatch'
  AND q.subject_type = 'event' AND q.subject_id = e.event_id::text AND q.status = 'quarantined' AND q.retry_at > clock_timestamp())`;

/** Of projects, by the first six bits of their ids (`share_of`); below zero is what earlier releases have queued. */
const SHARES = 64;

/**
 * The oldest events without deliveries of each share in turn, but for those that are set aside: who has many does not
 * keep others waiting. Those of a project are in order, so what an earlier release has queued goes alone, before all others.
 * It goes from share to share in the index. OFFSET 0 makes the planner go row by row in the order of the queue,
 * because it cannot know how short the queue is.
 * @param aside events that are set aside in memory
 * @param first the share that begins
 */
export async function listUndispatched(
  planned: Sql,
  {
    limit,
    aside,
    first,
  }: { readonly limit: number; readonly aside: readonly string[]; readonly first: number },
): Promise<readonly EventRow[]> {
  const { rows } = await planned.query<EventRow>({
    name: 'list_undispatched',
    text: `WITH RECURSIVE shares (share) AS (
        (SELECT share FROM undispatched_events ORDER BY share LIMIT 1)
        UNION ALL SELECT (SELECT u.share FROM undispatched_events u WHERE u.share > s.share ORDER BY u.share LIMIT 1)
        FROM shares s WHERE s.share >= 0),
      next AS MATERIALIZED (
        SELECT s.share, q.event_row_id, q.place FROM shares s CROSS JOIN LATERAL (
          SELECT o.event_row_id, row_number() OVER (ORDER BY o.event_row_id) AS place FROM (
            SELECT u.event_row_id FROM undispatched_events u
            CROSS JOIN LATERAL (SELECT e.event_id, e.chain_gid FROM event_log e WHERE e.id = u.event_row_id AND NOT e.is_held OFFSET 0) e
            WHERE u.share = s.share AND e.event_id <> ALL($2::uuid[]) AND NOT ${IS_SET_ASIDE}
            ORDER BY u.event_row_id LIMIT (SELECT ceil($1::float / count(share)) FROM shares)) o) q
        ORDER BY q.place, (s.share + $3) % ${SHARES} LIMIT $1)
      SELECT e.id, e.event_id, e.project_id, e.type, e.payload
      FROM next n CROSS JOIN LATERAL (SELECT * FROM event_log WHERE id = n.event_row_id OFFSET 0) e
      ORDER BY n.place, (n.share + $3) % ${SHARES}`,
    values: [limit, aside, first],
  });
  return rows;
}

/**
 * UUIDv7 of the database's clock, microseconds included, then the place in the statement (`ordinal`): ids of a channel grow
 * in the order in which its rows are stored, whichever replica stores them.
 */
const NEW_ID = `(lpad(to_hex(floor(extract(epoch FROM clock.at) * 1000)::bigint), 12, '0') || '7'
  || lpad(to_hex(extract(microseconds FROM clock.at)::integer % 1000), 3, '0') || '8'
  || lpad(to_hex(w.ordinal), 7, '0') || substr(md5(random()::text), 1, 8))::uuid`;

/**
 * Stores the deliveries of events and takes the events from the queue, all or nothing. Whichever replica is first does
 * it: the others wait for its commit, and find the events gone. A channel that is not open gets held rows.
 *
 * The commit does not wait for the disk: a server that crashes has forgotten the rows and has the event in the queue
 * again, or neither.
 * @param faults of expressions with these events: counted once, by the replica that is first
 */
export async function storeDeliveries(
  planned: Sql,
  wanted: readonly WantedEvent[],
  faults: readonly ExpressionFault[] = [],
): Promise<void> {
  const rows = wanted.flatMap(({ event, channels }) =>
    channels.map((channel) => ({ event, channelId: channel.id, key: orderingKeyOf(channel, event) })),
  );
  const hasFaults = faults.length > 0;
  await planned.query({
    name: hasFaults ? 'store_deliveries_and_faults' : 'store_deliveries',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
      taken AS (DELETE FROM undispatched_events USING relaxed WHERE event_row_id = ANY($1::bigint[]) RETURNING event_row_id),
      ${hasFaults ? `faults AS (${ADD_FAULTS}),` : ''}
      clock AS MATERIALIZED (SELECT clock_timestamp() AS at, count(*) FROM taken)
      INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, ordering_key)
      SELECT ${NEW_ID}, c.project_id, c.id, w.event_id, w.event_type,
        CASE WHEN c.status = 'active' AND NOT c.is_archived THEN 'pending' ELSE 'held' END, clock.at, ${storedKey('w.ordering_key')}
      FROM clock, unnest($2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::int[]) WITH ORDINALITY AS w (event_row_id, event_id, event_type, channel_id, ordering_key, ordinal)
      JOIN taken USING (event_row_id) JOIN notification_channels c ON c.id = w.channel_id
      ON CONFLICT (channel_id, event_id) DO NOTHING`,
    values: [
      wanted.map(({ event }) => event.id),
      rows.map(({ event }) => event.id),
      rows.map(({ event }) => event.event_id),
      rows.map(({ event }) => event.type),
      rows.map(({ channelId }) => channelId),
      rows.map(({ key }) => key),
      ...(hasFaults
        ? [
            faults.map(({ eventRowId }) => eventRowId),
            faults.map(({ channelId }) => channelId),
            faults.map(({ reason }) => reason),
          ]
        : []),
    ],
  });
}

const ADD_FAULTS = addFaults(
  '(unnest($7::bigint[], $8::uuid[], $9::text[]) AS u (event_row_id, channel_id, error) JOIN taken USING (event_row_id)) AS f',
);
