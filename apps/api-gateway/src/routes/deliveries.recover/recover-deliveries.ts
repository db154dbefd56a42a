// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { isEventKept } from '../../deliveries/is-event-kept.ts';

const BATCH = 10_000;

/**
 * Adds failed and discarded deliveries to the channel's backlog, from which the notifier takes them in event order.
 * Returns how many.
 */
export async function recoverDeliveries(
  db: Sql,
  { channelId, since, until }: { readonly channelId: string; readonly since: Date; readonly until: Date },
): Promise<number> {
  let recovered = 0;
  for (let count: number = BATCH; count === BATCH; recovered += count) {
    const { rowCount } = await db.query(
      `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, next_attempt_at = now(), last_error = NULL, updated_at = now()
       WHERE id IN (SELECT id FROM deliveries d WHERE channel_id = $1 AND status IN ('failed', 'discarded') AND NOT is_test
         AND created_at >= $2 AND created_at <= $3 AND ${isEventKept('d.event_id')} LIMIT ${BATCH})`,
      [channelId, since, until],
    );
    count = rowCount ?? 0;
  }
  return recovered;
}
