// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';

const ROWS_AT_ONCE = 10_000;

/**
 * Removes reconciliations that have expired or were deleted, those of deleted projects, and ledgers whose sender has gone, in
 * statements that nobody waits for. A step that was interrupted is continued by the next one.
 */
export async function removeReconciliations(sql: Sql): Promise<void> {
  // First, so that no row is added any more (store-rows.ts).
  await sql.query(
    `UPDATE reconciliations SET expires_at = now()
     WHERE expires_at > now() AND (project_id IS NULL OR status = 'receiving' AND lease_until < now())`,
  );
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM reconciliations WHERE expires_at <= now() ORDER BY expires_at',
  );
  for (const { id } of rows) {
    let removed: number | null;
    do {
      ({ rowCount: removed } = await sql.query(
        `DELETE FROM reconciliation_rows WHERE id IN (
           SELECT id FROM reconciliation_rows WHERE reconciliation_id = $1 ORDER BY id LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
        [id],
      ));
    } while (removed === ROWS_AT_ONCE);
    await sql.query(
      'DELETE FROM reconciliations r WHERE id = $1 AND NOT EXISTS (SELECT FROM reconciliation_rows x WHERE x.reconciliation_id = r.id)',
      [id],
    );
  }
}
