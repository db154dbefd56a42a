import type { Sql } from '@chainwatch/db';

/** Parked events are kept for 14 days (decisions.md §5). Returns how many were discarded; 0: none is left. */
export async function discardExpired(db: Sql): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE deliveries SET status = 'discarded', updated_at = now() WHERE id IN (
       SELECT id FROM deliveries WHERE status = 'held' AND created_at < now() - interval '14 days'
       LIMIT 10000 FOR UPDATE SKIP LOCKED)`,
  );
  return rowCount ?? 0;
}
