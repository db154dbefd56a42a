import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';

export interface Unattempted {
  readonly id: string;
  readonly channelId: string;
}

/** Claimed or due deliveries without an attempt on record, in event order. */
export async function listUnattempted(db: Sql, partitions: Partitions): Promise<readonly Unattempted[]> {
  const { rows } = await db.query<Unattempted>(
    `SELECT id, channel_id AS "channelId" FROM deliveries
     WHERE status = 'pending' AND attempt_count = 0 AND NOT is_test AND ${inPartitions('channel_id', 1)} ORDER BY id`,
    [partitions ?? null],
  );
  return rows;
}
