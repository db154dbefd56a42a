import type { Sql } from '@chainwatch/db';

/**
 * Parks due rows of a channel whose queue is full, behind those already parked, so that they do not delay
 * other channels.
 */
export async function parkDueDeliveries(db: Sql, channelId: string): Promise<void> {
  await db.query(
    `UPDATE deliveries SET status = 'held', updated_at = now() WHERE id IN (
       SELECT id FROM deliveries
       WHERE channel_id = $1 AND status = 'pending' AND NOT is_test AND next_attempt_at <= now()
       LIMIT 20000 FOR UPDATE SKIP LOCKED)`,
    [channelId],
  );
}
