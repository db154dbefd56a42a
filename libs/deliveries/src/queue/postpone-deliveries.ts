import type { Sql } from '@chainwatch/db';

/**
 * Nobody claims these rows for this many milliseconds: 0 gives them back, the visibility extends the lease.
 */
export async function postponeDeliveries(db: Sql, ids: readonly string[], delayMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `UPDATE deliveries SET next_attempt_at = now() + $2 * interval '1 ms' WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
    [ids, delayMs],
  );
}
