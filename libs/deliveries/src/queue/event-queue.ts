import type { Sql } from '@chainwatch/db';
import type { Channel } from '../channel-config.ts';

export interface EventRow {
  readonly id: number;
  readonly event_id: string;
  readonly project_id: string;
  readonly type: string;
  readonly payload: string;
  readonly traceparent: string | null;
}

/** An event whose deliveries to these channels, which are all that want it, were stored. */
export interface Completed {
  readonly event: Pick<EventRow, 'id' | 'event_id'>;
  readonly channels: readonly Channel[];
}

/** The table of events, as far as it is the queue of what is to be dispatched. */
export function createEventQueue(planned: Sql) {
  return {
    /** In order. Those that are dispatched, or held for now, are left out. */
    async select(eventIds: readonly string[]): Promise<EventRow[]> {
      const { rows } = await planned.query<EventRow>({
        name: 'select_events',
        text: `SELECT id, event_id, project_id, type, payload, traceparent FROM events
               WHERE event_id = ANY($1::uuid[]) AND NOT is_held AND (SELECT true FROM undispatched_events u WHERE u.event_row_id = events.id) ORDER BY id`,
        values: [eventIds],
      });
      return rows;
    },

    /**
     * Not flushed by itself: behind the deliveries in the log, it is never there without them. A server that crashed and
     * came back in between has forgotten them, and gets no mark: the sweep finds the event.
     */
    async markDispatched(completed: readonly Completed[]): Promise<void> {
      const expected = completed.flatMap(({ event, channels }) =>
        channels.map((channel) => ({ id: event.id, eventId: event.event_id, channelId: channel.id })),
      );
      await planned.query({
        name: 'mark_dispatched',
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
               missing AS MATERIALIZED (
                 SELECT u.id FROM unnest($2::bigint[], $3::uuid[], $4::uuid[]) AS u (id, event_id, channel_id)
                 WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = u.channel_id AND d.event_id = u.event_id))
               DELETE FROM undispatched_events u USING relaxed WHERE u.event_row_id = ANY($1::bigint[]) AND u.event_row_id NOT IN (SELECT id FROM missing)`,
        values: [
          completed.map(({ event }) => event.id),
          expected.map(({ id }) => id),
          expected.map(({ eventId }) => eventId),
          expected.map(({ channelId }) => channelId),
        ],
      });
    },
  };
}
