import { MISSING_SQL, MOVEMENTS_SQL } from './movements-sql.ts';

/**
 * Movements of the project's next $4 transactions behind ($3, $10), detected up to $11, that no row of the ledger names.
 * Transactions that a row names are left to MATCH_ROWS_SQL. $2 is the project; the others are those of MISSING_SQL.
 */
export const MATCH_BOOKS_SQL = `
WITH next AS MATERIALIZED (
    SELECT id, detected_at FROM transactions
    WHERE project_id = $2 AND detected_at <= $11 AND ($10::timestamptz IS NULL OR (detected_at, id) > ($10, $3::uuid))
    ORDER BY detected_at, id LIMIT $4
  ),
  page AS MATERIALIZED (
    SELECT n.id FROM next n JOIN transactions t ON t.id = n.id
    WHERE t.block_timestamp >= $5 AND t.block_timestamp < $6
      AND NOT EXISTS (SELECT FROM reconciliation_rows r WHERE r.reconciliation_id = $1 AND r.transaction_id = n.id AND r.line IS NOT NULL)
  ),
  ${MOVEMENTS_SQL},
  unclaimed AS (SELECT movement FROM movements),
  ${MISSING_SQL}
SELECT l.id AS after, l.detected_at::text AS after_time, (SELECT count(*) FROM next) AS read,
  (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM missing) AS missing
FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT id, detected_at FROM next ORDER BY detected_at DESC, id DESC LIMIT 1) l ON true`;
