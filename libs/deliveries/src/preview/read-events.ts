// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from '../schedule/undispatched.ts';

/** A place in the order of events by the time at which they were made. */
export interface Place {
  readonly createdAt: Date;
  /** Of the row; 0 is before all of that time. */
  readonly id: number;
}

export interface KeptEvent extends EventRow, Place {
  readonly chain_gid: string | null;
}

export interface EventPage {
  readonly events: readonly KeptEvent[];
  readonly hasMore: boolean;
}

interface Range {
  readonly channel: Pick<Channel, 'projectId' | 'eventTypes' | 'includesHistory'>;
  readonly after: Place;
  /** Exclusive. */
  readonly until: Date;
  readonly limit: number;
  /** Of payloads, but for those of the first event. */
  readonly bytesMax: number;
}

/**
 * The next events of the channel's project that are of its types, oldest first: what the scheduler dispatches, and history
 * for channels that include it. The index has the rows of each type in this order; payloads are read of the page alone, as many
 * as memory has room for.
 */
export async function readEvents(
  sql: Sql,
  { channel, after, until, limit, bytesMax }: Range,
): Promise<EventPage> {
  const { rows } = await sql.query<KeptEvent & { readonly found: number }>(
    `SELECT * FROM (SELECT e.id, e.event_id, e.project_id, e.type, e.payload, e.chain_gid, e.created_at AS "createdAt", count(*) OVER () AS found,
       sum(octet_length(e.payload)) OVER (ORDER BY page.created_at, page.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
     FROM (SELECT r.* FROM unnest($2::text[]) AS t (type) CROSS JOIN LATERAL (
         SELECT created_at, id FROM event_log
         WHERE project_id = $1 AND type = t.type AND NOT is_held AND subject_kind <> 'test' AND ($3 OR subject_kind <> 'history')
           AND (created_at, id) > ($4::timestamptz, $5::bigint) AND created_at < $6
         ORDER BY created_at, id LIMIT $7) r
       ORDER BY r.created_at, r.id LIMIT $7) page
     CROSS JOIN LATERAL (SELECT * FROM event_log WHERE id = page.id OFFSET 0) e) p
     WHERE coalesce(bytes, 0) < $8 ORDER BY "createdAt", id`,
    [
      channel.projectId,
      [...channel.eventTypes],
      channel.includesHistory === true,
      after.createdAt,
      after.id,
      until,
      limit,
      bytesMax,
    ],
  );
  const found = rows[0]?.found ?? 0;
  return { events: rows, hasMore: found === limit || rows.length < found };
}
