import type { Sql } from '@chainwatch/db';

/** failed or archived → active (decisions.md §5): what was held is due now, or is discarded. */
export async function reactivateChannel(sql: Sql, channelId: string, held: 'deliver' | 'discard'): Promise<void> {
  await sql.query(
    `UPDATE notification_channels
     SET is_archived = false, status = 'active', consecutive_failures = 0, failed_at = NULL, failure_reason = NULL, updated_at = now()
     WHERE id = $1`,
    [channelId],
  );
  await sql.query(
    `UPDATE deliveries SET status = $2, next_attempt_at = now(), updated_at = now() WHERE channel_id = $1 AND status = 'held'`,
    [channelId, held === 'deliver' ? 'pending' : 'discarded'],
  );
}
