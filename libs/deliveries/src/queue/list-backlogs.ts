import type { Sql } from '@chainwatch/db';
import { inPartitions, type Partitions } from './in-partitions.ts';

/** Open channels with parked deliveries: after a restore, a recovery or an overflow. */
export async function listBacklogs(db: Sql, partitions: Partitions): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT c.id FROM notification_channels c
     WHERE c.status = 'active' AND NOT c.is_archived AND ${inPartitions('c.id', 1)}
       AND EXISTS (SELECT 1 FROM deliveries d WHERE d.channel_id = c.id AND d.status = 'held')`,
    [partitions ?? null],
  );
  return rows.map(({ id }) => id);
}
