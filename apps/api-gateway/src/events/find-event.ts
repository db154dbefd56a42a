// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS } from '@chainwatch/channels';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import { eventHorizon } from '../records/event.ts';

const VERBATIM_KINDS = CHANNEL_KINDS.filter(({ isVerbatim }) => isVerbatim).map(({ kind }) => kind);

interface EventRow {
  readonly event_id: string;
  readonly payload: string;
}

/**
 * @throws ProblemError 404, also if it is another project's, held back or older than events are shown; for a portal
 * session, if no channel of it sent the event as it is
 */
export async function findEvent(
  sql: Sql,
  { projectId, portal }: Principal,
  eventId: string,
): Promise<EventRow> {
  const { rows } = await sql.query<EventRow>(
    `SELECT e.event_id, e.payload FROM event_keys k JOIN event_log e ON e.id = k.row_id
     WHERE k.event_id = $1 AND e.project_id = $2 AND NOT e.is_held AND e.created_at >= $3
       AND ($4::uuid[] IS NULL OR EXISTS (
         SELECT FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id AND c.kind = ANY ($5) AND jsonb_typeof(c.config -> 'fields') IS DISTINCT FROM 'array'
         WHERE d.event_id = $1 AND d.channel_id = ANY ($4) AND d.attempt_count > 0))`,
    [eventId, projectId, eventHorizon(), portal?.channelIds ?? null, VERBATIM_KINDS],
  );
  if (rows[0]) return rows[0];
  throw notFound(
    `There is no event ${eventId} in this project, or it is older than the events that are kept.`,
  );
}
