import type { Sql } from '@chainwatch/db';

/** Parks those of the deliveries that are due. Returns the ids of those that are still claimed and have no attempt on record. */
export async function parkUnattempted(db: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    `WITH parked AS (
       UPDATE deliveries SET status = 'held', updated_at = now()
       WHERE id IN (
         SELECT id FROM deliveries
         WHERE id = ANY($1::uuid[]) AND status = 'pending' AND attempt_count = 0 AND next_attempt_at <= now()
         FOR UPDATE SKIP LOCKED)
       RETURNING id)
     SELECT id FROM deliveries
     WHERE id = ANY($1::uuid[]) AND status = 'pending' AND attempt_count = 0 AND id NOT IN (SELECT id FROM parked)`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
