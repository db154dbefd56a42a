// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';
import type { Database, Statement } from '../db/index.ts';

const LOCK_TIMEOUT = '1s';
/** Between two looks at who blocks us. */
const LOOK_MS = 20;

/**
 * Runs one statement that takes a row over from an owner that has lost its right to it. That owner may be suspended
 * in the middle of a transaction, and the server keeps the row locked for as long as it sees the connection. After
 * 1 s of waiting, the backends of our own role that hold the row are terminated, and the statement waits once more.
 * @throws the server's lock_not_available (55P03) when the row could not be locked
 */
export async function takeRow<R extends pg.QueryResultRow>(db: Database, statement: Statement): Promise<R[]> {
  try {
    return await waitForRow(db, statement);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return waitForRow(db, statement, (pid, isOver) => endBlockers(db, pid, isOver));
  }
}

async function waitForRow<R extends pg.QueryResultRow>(
  db: Database,
  statement: Statement,
  onWait?: (pid: number, isOver: () => boolean) => Promise<void>,
): Promise<R[]> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ pid: number }>(
      `SELECT pg_backend_pid() AS pid, set_config('lock_timeout', $1, true)`,
      [LOCK_TIMEOUT],
    );
    let isOver = false;
    const taking = sql.query<R>(statement).finally(() => (isOver = true));
    await Promise.all([taking, onWait?.(rows[0]!.pid, () => isOver)]);
    return (await taking).rows;
  });
}

/**
 * Sessions that queue for the row wait for its `tuple` lock; only the first of them waits for the transaction that
 * holds the row. Only that holder is terminated, and nobody in the queue ($2: who was in it before, whose turn may have come).
 */
const END_HOLDER = `
  WITH RECURSIVE line (pid) AS (
    SELECT $1::integer
    UNION
    SELECT unnest(pg_blocking_pids(line.pid)) FROM line JOIN pg_locks l ON l.pid = line.pid AND NOT l.granted AND l.locktype = 'tuple'
  ), ended AS MATERIALIZED (
    SELECT pg_terminate_backend(holder.pid)
    FROM line JOIN pg_locks l ON l.pid = line.pid AND NOT l.granted AND l.locktype = 'transactionid'
    CROSS JOIN unnest(pg_blocking_pids(line.pid)) AS b (pid) JOIN pg_stat_activity holder ON holder.pid = b.pid
    WHERE holder.usename = current_user AND holder.pid <> ALL ($2::integer[])
  )
  SELECT array(SELECT pid FROM line) AS waiting, (SELECT count(*) FROM ended) AS ended`;

async function endBlockers(db: Database, pid: number, isOver: () => boolean): Promise<void> {
  const waited = new Set<number>();
  while (!isOver()) {
    const { rows } = await db.query<{ waiting: number[] }>(END_HOLDER, [pid, [...waited]]);
    for (const waiting of rows[0]!.waiting) waited.add(waiting);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '55P03';
}
