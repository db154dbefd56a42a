import type { Sql } from '@chainwatch/db';
import type { DeliveryJob } from '../delivery-job.ts';
import { CLAIMED_COLUMNS, eventOf, toJobs, type ClaimedRow } from './claimed-row.ts';

export interface ParkedDeliveriesQuery {
  readonly channelId: string;
  readonly limit: number;
  /** Only rows below this id; undefined: all. */
  readonly beforeId?: string | undefined;
  /** True for a failing channel, false for an active one. */
  readonly isProbe: boolean;
  readonly visibilityMs: number;
}

/** Claims parked rows of one channel, in event order. */
export async function claimParkedDeliveries(
  db: Sql,
  { channelId, limit, beforeId, isProbe, visibilityMs }: ParkedDeliveriesQuery,
): Promise<DeliveryJob[]> {
  const { rows } = await db.query<ClaimedRow>(
    `WITH next AS (
       SELECT d.id, d.event_id, d.next_attempt_at AS due_at
       FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id
       WHERE d.channel_id = $1 AND d.status = 'held' AND c.status = $4 AND NOT c.is_archived
         AND ($5::uuid IS NULL OR d.id < $5)
       ORDER BY d.id LIMIT $2 FOR UPDATE OF d SKIP LOCKED)
     UPDATE deliveries d SET status = 'pending', next_attempt_at = now() + $3 * interval '1 ms', updated_at = now()
     FROM next CROSS JOIN LATERAL (${eventOf('next.event_id')}) e WHERE d.id = next.id
     RETURNING ${CLAIMED_COLUMNS}, next.due_at`,
    [channelId, limit, visibilityMs, isProbe ? 'failing' : 'active', beforeId ?? null],
  );
  return toJobs(rows, isProbe);
}
