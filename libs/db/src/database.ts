import pg from 'pg';

export type Sql = Pick<pg.ClientBase, 'query'>;

export interface Database extends Sql {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Default 10. */
  readonly poolSize?: number;
  /** A statement is cancelled after that, default 30,000. */
  readonly statementTimeoutMs?: number;
}

// bigint columns (heights, sequences) stay below 2^53 and come as numbers; numeric stays text, amounts are exact.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A pool for raw SQL on the hot paths. Connects on first use; a lost server makes queries reject until it is back. */
export function createDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize ?? 10,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    // The server cancels what is slow; this is for a server that is gone without a word, which would never answer.
    query_timeout: (options.statementTimeoutMs ?? 30_000) + 5_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // An idle client whose server went away: the pool drops it, the next query connects again.
  pool.on('error', () => undefined);
  // The same for one that is checked out, whose next query rejects; without a listener the process would die.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    pool,
    query: pool.query.bind(pool) as Sql['query'],
    transaction: (work) => runInTransaction(pool, work),
    close: () => pool.end(),
  };
}

async function runInTransaction<T>(pool: pg.Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
