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

interface Range {
  readonly channel: Pick<Channel, 'projectId' | 'eventTypes' | 'includesHistory'>;
  readonly after: Place;
  /** Exclusive. */
  readonly until: Date;
  readonly limit: number;
}

/**
 * The next events of the channel's project that are of its types, oldest first: what the scheduler dispatches, and history
 * for channels that include it. The index has the rows of each type in this order; payloads are read of the page alone.
 */
export async function readEvents(
  sql: Sql,
  { channel, after, until, limit }: Range,
): Promise<readonly KeptEvent[]> {
  const { rows } = await sql.query<KeptEvent>(
    `SELECT e.id, e.event_id, e.project_id, e.type, e.payload, e.chain_gid, e.created_at AS "createdAt"
     FROM (SELECT r.* FROM unnest($2::text[]) AS t (type) CROSS JOIN LATERAL (
         SELECT created_at, id FROM event_log
         WHERE project_id = $1 AND type = t.type AND NOT is_held AND subject_kind <> 'test' AND ($3 OR subject_kind <> 'history')
           AND (created_at, id) > ($4::timestamptz, $5::bigint) AND created_at < $6
         ORDER BY created_at, id LIMIT $7) r
       ORDER BY r.created_at, r.id LIMIT $7) page
     CROSS JOIN LATERAL (SELECT * FROM event_log WHERE id = page.id OFFSET 0) e ORDER BY page.created_at, page.id`,
    [
      channel.projectId,
      [...channel.eventTypes],
      channel.includesHistory === true,
      after.createdAt,
      after.id,
      until,
      limit,
    ],
  );
  return rows;
}
