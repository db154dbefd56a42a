import type { Sql } from '@chainwatch/db';

/**
 * Parks the waiting deliveries of a channel that is not active any more, so that they spend no attempt.
 * Untried deliveries are due as soon as their channel is active.
 */
export async function parkPendingDeliveries(sql: Sql, channelId: string): Promise<void> {
  await sql.query(
    `UPDATE deliveries SET status = 'held', updated_at = now(),
       next_attempt_at = CASE WHEN attempt_count = 0 THEN created_at ELSE next_attempt_at END
     WHERE channel_id = $1 AND status = 'pending' AND NOT is_test`,
    [channelId],
  );
}
