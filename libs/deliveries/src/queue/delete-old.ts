import type { Sql } from '@chainwatch/db';

/**
 * Deletes closed deliveries after 30 days, with their attempts. Ids begin with their time (UUIDv7), so the
 * oldest come first. Returns how many were deleted; 0: none is left.
 */
export async function deleteOld(db: Sql): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM (SELECT id, status, created_at FROM deliveries ORDER BY id LIMIT 1000) oldest
       WHERE status NOT IN ('pending', 'held') AND created_at < now() - interval '30 days')`,
  );
  return rowCount ?? 0;
}
