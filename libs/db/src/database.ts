import pg from 'pg';
import { describeSession, KEEP_ALIVE } from './session-settings.ts';

export type Sql = Pick<pg.ClientBase, 'query'>;
/** A named statement is parsed and planned once a connection. */
export type Statement = pg.QueryConfig;

/** An open transaction. */
export interface Transaction extends Sql {
  /** Sends a statement without waiting: the next one, or COMMIT, travels with it. Its failure fails the transaction. */
  send(statement: Statement): void;
}

export interface TransactionOptions {
  /**
   * Named statements are planned once a connection, for any values, and find rows by indexes. For statements of many parts
   * that run often: the server thinks that arrays of one element deserve a plan of their own, which costs more than the run.
   */
  readonly keepsPlans?: boolean;
}

export interface Database extends Sql {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. BEGIN and the statements of
   * `opening` share a round trip; `work` gets the rows of each.
   */
  transaction<T>(
    work: (sql: Transaction, opened: readonly (readonly unknown[])[]) => Promise<T>,
    opening?: readonly Statement[],
    options?: TransactionOptions,
  ): Promise<T>;
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
  /** As TransactionOptions.keepsPlans, for everything on these connections. */
  readonly keepsPlans?: boolean;
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
    options: describeSession(options.keepsPlans === true ? KEEP_PLANS : []),
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    // Statements of one client that nobody waits for in between share a round trip.
    pipeline: true,
  } as pg.PoolConfig);
  // An idle client whose server went away: the pool drops it, the next query connects again.
  pool.on('error', () => undefined);
  // The same for one that is checked out, whose next query rejects; without a listener the process would die.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    pool,
    query: pool.query.bind(pool) as Sql['query'],
    transaction: (work, opening, options) => runInTransaction(pool, work, opening, options),
    close: () => pool.end(),
  };
}

// A plan that was made while tables were small must not scan them later.
const KEEP_PLANS = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['jit', 'off'],
] as const;
const BEGIN_KEEPING_PLANS = [
  'BEGIN',
  ...KEEP_PLANS.map(([name, value]) => `SET LOCAL ${name} = ${value}`),
].join('; ');

async function runInTransaction<T>(
  pool: pg.Pool,
  work: (sql: Transaction, opened: readonly (readonly unknown[])[]) => Promise<T>,
  opening: readonly Statement[] = [],
  options: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  const sent: Promise<unknown>[] = [];
  let broken: Error | undefined;
  try {
    const begin = options.keepsPlans === true ? BEGIN_KEEPING_PLANS : 'BEGIN';
    const [, ...opened] = await Promise.all([
      client.query(begin),
      ...opening.map((statement) => client.query<object>(statement)),
    ]);
    const send = (statement: Statement): void => {
      const sending = client.query(statement);
      // Looked at with COMMIT; `work` may fail before.
      sending.catch(() => undefined);
      sent.push(sending);
    };
    const result = await work(
      { query: client.query.bind(client) as Sql['query'], send },
      opened.map(({ rows }) => rows),
    );
    // The server turns the COMMIT behind a failed statement into a ROLLBACK.
    await Promise.all([...sent, client.query('COMMIT')]);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    // What came behind a failed statement failed because of it.
    await Promise.all(sent);
    throw error;
  } finally {
    client.release(broken);
  }
}
