// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import { waitFor } from '@chainwatch/testing';

/** A lock of ours, so that a service stands still in the middle of what it writes. */
export interface HeldLock {
  /** Resolves when a session of the application waits for us. */
  waitForWaiter(applicationName: string): Promise<void>;
  release(): Promise<void>;
}

export async function holdLock(
  url: string,
  statement: string,
  values: readonly unknown[],
): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  // The role's time-out is for services.
  await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rowCount } = await client.query(statement, [...values]);
  if (rowCount === 0) throw new Error(`expected a row to lock, got none: ${statement}`);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return {
    waitForWaiter: (applicationName) =>
      waitFor(
        async () => {
          // A transaction shows everybody's session as it found it; a pooler gives sessions other names meanwhile.
          await client.query('SELECT pg_stat_clear_snapshot()');
          const { rowCount } = await client.query(
            'SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND $2 = ANY(pg_blocking_pids(pid))',
            [applicationName, rows[0]!.pid],
          );
          return rowCount! > 0;
        },
        {
          message: `${applicationName} to wait for the lock`,
        },
      ).then(() => undefined),
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}
