// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';

const BATCH = 10_000;

/**
 * failed or archived → active (decisions.md §5). Held deliveries stay held until the notifier takes them, in event
 * order: it looks after active channels that have some. So a million of them cost nothing here.
 */
export async function reactivateChannel(sql: Sql, channelId: string): Promise<void> {
  await sql.query(
    `UPDATE notification_channels
     SET is_archived = false, status = 'active', consecutive_failures = 0, failed_at = NULL, failing_since = NULL, failure_reason = NULL, updated_at = now()
     WHERE id = $1`,
    [channelId],
  );
}

/** Whatever its status was: it holds its events. */
export async function failChannel(sql: Sql, channelId: string, reason: string): Promise<void> {
  await sql.query(
    `UPDATE notification_channels
     SET status = 'failed', failed_at = coalesce(failed_at, now()), failure_reason = $2, updated_at = now()
     WHERE id = $1`,
    [channelId, reason],
  );
}

/** Discards everything that the channel holds at this moment. */
export async function discardHeld(db: Pick<Database, 'query'>, channelId: string): Promise<void> {
  const { rows } = await db.query<{ now: Date }>('SELECT now()');
  for (let count = BATCH; count === BATCH; ) {
    const { rowCount } = await db.query(
      `UPDATE deliveries SET status = 'discarded', updated_at = now() WHERE id IN (
         SELECT id FROM deliveries WHERE channel_id = $1 AND status = 'held' AND created_at <= $2 ORDER BY id LIMIT ${BATCH})`,
      [channelId, rows[0]!.now],
    );
    count = rowCount ?? 0;
  }
}
