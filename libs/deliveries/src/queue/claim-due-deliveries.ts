import type { Sql } from '@chainwatch/db';
import type { DeliveryJob } from '../delivery-job.ts';
import { CLAIMED_COLUMNS, eventOf, toJobs, type ClaimedRow } from './claimed-row.ts';
import { inPartitions, type Partitions } from './in-partitions.ts';

export interface DueDeliveriesQuery {
  readonly limit: number;
  readonly excludedChannelIds: readonly string[];
  readonly visibilityMs: number;
  readonly partitions: Partitions;
}

/** Claims due deliveries of open channels. It also parks those of closed channels, so that nobody looks at them again. */
export async function claimDueDeliveries(
  db: Sql,
  { limit, excludedChannelIds, visibilityMs, partitions }: DueDeliveriesQuery,
): Promise<{ jobs: DeliveryJob[]; parkedCount: number }> {
  const { rows } = await db.query<ClaimedRow & { readonly is_open: boolean }>(
    `WITH due AS (
       SELECT d.id, d.event_id, d.next_attempt_at AS due_at, (d.is_test OR (c.status = 'active' AND NOT c.is_archived)) AS is_open
       FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id
       WHERE d.status = 'pending' AND d.next_attempt_at <= now() AND d.channel_id <> ALL($2::uuid[])
         AND ${inPartitions('d.channel_id', 4)}
       ORDER BY d.next_attempt_at, d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
     UPDATE deliveries d SET updated_at = now(),
       status = CASE WHEN due.is_open THEN 'pending' ELSE 'held' END,
       next_attempt_at = CASE WHEN due.is_open THEN now() + $3 * interval '1 ms' ELSE d.next_attempt_at END
     FROM due CROSS JOIN LATERAL (${eventOf('due.event_id')}) e WHERE d.id = due.id
     RETURNING ${CLAIMED_COLUMNS}, e.created_at AS event_at, due.due_at, due.is_open`,
    [limit, excludedChannelIds, visibilityMs, partitions ?? null],
  );
  const open = rows.filter((row) => row.is_open);
  return { jobs: toJobs(open, false), parkedCount: rows.length - open.length };
}
