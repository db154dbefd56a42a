import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';

export interface Unattempted {
  readonly id: string;
  readonly channelId: string;
}

/** Claimed or due deliveries of live events without an attempt on record, in event order. What is due later than a lease lasts waits because a receiver asked for it. */
export async function listUnattempted(
  db: Sql,
  partitions: Partitions,
  visibilityMs: number,
): Promise<readonly Unattempted[]> {
  const { rows } = await db.query<Unattempted>(
    `SELECT id, channel_id AS "channelId" FROM deliveries
     WHERE status = 'pending' AND next_attempt_at <= now() + $2 * interval '1 ms' AND attempt_count = 0
       AND NOT is_test AND NOT is_historical AND ${inPartitions('channel_id', 1)} ORDER BY id`,
    [partitions ?? null, visibilityMs],
  );
  return rows;
}
