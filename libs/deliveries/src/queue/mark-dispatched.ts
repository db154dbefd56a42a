import type { Sql } from '@chainwatch/db';

/** An event whose deliveries to these channels, which are all that want it, were stored. */
export interface Completed {
  readonly id: number;
  readonly eventId: string;
  readonly channelIds: readonly string[];
}

/**
 * The commit does not wait for the disk. The mark stands behind the deliveries in the write-ahead log, so it
 * is never there without them. If the server crashed in between and lost the deliveries, no mark is written,
 * and the sweep finds the event.
 */
export async function markDispatched(planned: Sql, completed: readonly Completed[]): Promise<void> {
  const expected = completed.flatMap(({ id, eventId, channelIds }) =>
    channelIds.map((channelId) => ({ id, eventId, channelId })),
  );
  await planned.query({
    name: 'mark_dispatched',
    text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
           missing AS MATERIALIZED (
             SELECT u.id FROM unnest($2::bigint[], $3::uuid[], $4::uuid[]) AS u (id, event_id, channel_id)
             WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = u.channel_id AND d.event_id = u.event_id))
           DELETE FROM undispatched_events u USING relaxed
           WHERE u.event_row_id = ANY($1::bigint[]) AND u.event_row_id NOT IN (SELECT id FROM missing)`,
    values: [
      completed.map(({ id }) => id),
      expected.map(({ id }) => id),
      expected.map(({ eventId }) => eventId),
      expected.map(({ channelId }) => channelId),
    ],
  });
}
