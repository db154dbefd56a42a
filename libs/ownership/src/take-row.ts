import type pg from 'pg';
import type { Database, Statement } from '@chainwatch/db';

const LOCK_TIMEOUT = '1s';
/** Between two looks at who blocks us. */
const LOOK_MS = 20;

/**
 * Runs one statement that takes a row over from an owner that has no right to it any more. That owner may stand still in
 * the middle of a transaction, where the server keeps the row locked for as long as it sees the connection. The row is
 * waited for for 1 s; then the backends of our own role that hold it are ended, and it is waited for once more.
 * @throws the server's lock_not_available (55P03) when it could not be had
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
 * Who stands in the line for the row waits for its `tuple` lock, and only the first of the line for the transaction that
 * holds the row: that one is ended, and nobody of the line.
 */
const END_HOLDER = `
  WITH RECURSIVE line (pid) AS (
    SELECT $1::integer
    UNION
    SELECT unnest(pg_blocking_pids(line.pid)) FROM line JOIN pg_locks l ON l.pid = line.pid AND NOT l.granted AND l.locktype = 'tuple'
  )
  SELECT pg_terminate_backend(holder.pid)
  FROM line JOIN pg_locks l ON l.pid = line.pid AND NOT l.granted AND l.locktype = 'transactionid'
  CROSS JOIN unnest(pg_blocking_pids(line.pid)) AS b (pid) JOIN pg_stat_activity holder ON holder.pid = b.pid
  WHERE holder.usename = current_user`;

async function endBlockers(db: Database, pid: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await db.query(END_HOLDER, [pid]);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '55P03';
}
