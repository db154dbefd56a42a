import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';

/** Claims the failing channels whose probe is due. Returns their ids. */
export async function claimFailingChannels(
  db: Sql,
  probeIntervalMs: number,
  partitions: Partitions,
): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `UPDATE notification_channels SET probe_at = now() + $1 * interval '1 ms' WHERE id IN (
       SELECT id FROM notification_channels c
       WHERE c.status = 'failing' AND NOT c.is_archived AND (c.probe_at IS NULL OR c.probe_at <= now())
         AND ${inPartitions('c.id', 2)}
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = c.id AND d.status = 'held')
       LIMIT 200 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [probeIntervalMs, partitions ?? null],
  );
  return rows.map(({ id }) => id);
}
