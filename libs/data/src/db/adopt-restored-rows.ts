// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from './database.ts';

const UPDATE_MS_MAX = 3_600_000;

/**
 * A database that was restored from a dump counts transactions anew, below the ids that stand in `watch_xid`,
 * so the analyzer would never notice rows that are registered from then on. This gives all rows ids of this
 * database: rows that the analyzer had not handled count as new, the others as old. Resolves to whether there
 * was anything to do.
 */
export async function adoptRestoredRows(db: Database): Promise<boolean> {
  if (!(await isRestored(db))) return false;
  return db.transaction(async (sql) => {
    await sql.query(`SET LOCAL statement_timeout = ${UPDATE_MS_MAX}`);
    await sql.query('SELECT 1 FROM analyzer_states ORDER BY chain_gid FOR UPDATE');
    // Another replica may have done it while this one waited.
    if (!(await isRestored(sql))) return false;
    // Rows that were registered here before this ran; their time tells them from the restored ones.
    await sql.query({
      text: `UPDATE addresses a SET watch_xid = CASE WHEN EXISTS (
               SELECT 1 FROM analyzer_states s JOIN blockchains b ON b.gid = s.chain_gid AND b.is_active
               WHERE b.family = a.chain_family AND (a.watch_xid >= s.watch_xid OR a.updated_at > s.updated_at)) THEN pg_current_xact_id() ELSE '0'::xid8 END`,
      query_timeout: UPDATE_MS_MAX,
    } as { text: string });
    await sql.query('UPDATE analyzer_states SET watch_xid = pg_current_xact_id()');
    return true;
  });
}

async function isRestored(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query(
    'SELECT 1 FROM analyzer_states WHERE watch_xid > pg_snapshot_xmax(pg_current_snapshot()) LIMIT 1',
  );
  return rows.length > 0;
}
