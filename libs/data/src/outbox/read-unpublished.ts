// SPDX-License-Identifier: Apache-2.0
import type { Database } from '../db/index.ts';
import type { EventSubject, PayloadOf } from '@chainwatch/events';

/** A committed row of table events. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly subject: EventSubject;
  readonly chainGid: string;
  readonly projectId: string;
  readonly envelope: PayloadOf<EventSubject>;
  /** The envelope as the row holds it. */
  readonly payload: string;
  readonly traceparent?: string | undefined;
}

interface OutboxRow {
  readonly event_id: string;
  readonly subject_kind: EventSubject;
  readonly chain_gid: string;
  readonly project_id: string;
  readonly payload: string;
  readonly traceparent: string | null;
}

interface Unpublished {
  readonly subjects: readonly EventSubject[];
  readonly chainGids: readonly string[];
  /** Younger ones are under way. */
  readonly ageMs: number;
  /** Events whose message is on its way, or was taken. */
  readonly except: readonly string[];
  readonly limit: number;
}

/** Unpublished rows, oldest first. */
export async function readUnpublished(
  db: Database,
  { subjects, chainGids, ageMs, except, limit }: Unpublished,
): Promise<OutgoingEvent[]> {
  const { rows } = await db.query<OutboxRow>(
    // Row by row (OFFSET 0), in the order of the queue: the planner cannot know how short it is. A time ahead of the
    // database's is of a clock that runs ahead: such an event does not wait for it.
    `SELECT e.* FROM unpublished_events u
         CROSS JOIN LATERAL (SELECT event_id, subject_kind, chain_gid, project_id, payload, traceparent, created_at FROM event_log WHERE id = u.event_row_id AND NOT is_held OFFSET 0) e
         WHERE u.subject_kind = ANY($1) AND e.chain_gid = ANY($2) AND e.created_at NOT BETWEEN now() - $3 * interval '1 millisecond' AND now() AND e.event_id <> ALL($4::uuid[])
         ORDER BY u.event_row_id LIMIT ${limit}`,
    [subjects, chainGids, ageMs, except],
  );
  return rows.map(outgoingOf);
}

function outgoingOf(row: OutboxRow): OutgoingEvent {
  return {
    eventId: row.event_id,
    subject: row.subject_kind,
    chainGid: row.chain_gid,
    projectId: row.project_id,
    // The service that relays it wrote it, so it is trusted.
    envelope: JSON.parse(row.payload) as PayloadOf<EventSubject>,
    payload: row.payload,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  };
}
