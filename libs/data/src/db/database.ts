// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import pg from 'pg';
import { openPool, type PoolKind } from './open-pool.ts';
import { observePool } from './observe-pool.ts';
import { createClientClass } from './observed-client.ts';
import { findSessionFault, KEEP_ALIVE } from './session-settings.ts';

export type Sql = Pick<pg.ClientBase, 'query'>;
/** A named statement is parsed and planned once per connection. */
export type Statement = pg.QueryConfig;

/** An open transaction. */
export interface Transaction extends Sql {
  /** Sends a statement without waiting: the next one, or COMMIT, travels with it. Its failure fails the transaction. */
  send(statement: Statement): void;
}

export interface TransactionOptions {
  /**
   * Plans named statements once per connection, for any values, and finds rows by indexes. For statements of
   * many parts that run often: otherwise the server makes a new plan for arrays of one element, which costs
   * more than running it.
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

export interface DatabaseOptions extends PoolKind {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Default 10. */
  readonly poolSize?: number;
  /** How long a statement is waited for. Default 35,000: the server itself ends it after 30 s (SESSION_SETTINGS). */
  readonly statementTimeoutMs?: number;
  /** As TransactionOptions.keepsPlans, for everything on these connections; each statement is a transaction of its own. */
  readonly keepsPlans?: boolean;
  /**
   * False: no statement is sent with its name, because a pooler hands sessions, with the statements prepared
   * in them, from one client to another.
   */
  readonly isPrepared?: boolean;
  /** Logs one warning when sessions have no time-outs. */
  readonly logger?: Pick<Logger, 'warn'>;
}

// bigint columns (heights, sequences) stay below 2^53 and come as numbers; numeric stays text, amounts are exact.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * A pool for raw SQL on the hot paths. Connects on first use; a lost server makes queries reject until it is back. Nothing
 * of a session outlives a transaction, so that PgBouncer may pool by transaction.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const { url, applicationName, poolSize = 10, statementTimeoutMs = 35_000, keepsPlans = false } = options;
  const poolName = options.standby ? 'standby' : keepsPlans ? 'planned' : 'plain';
  const settings = {
    connectionString: url,
    application_name: applicationName,
    max: poolSize,
    // The role's time-out ends slow statements. This one is for a server that vanished and would never answer.
    query_timeout: statementTimeoutMs,
    connectionTimeoutMillis: 5_000,
    ...KEEP_ALIVE,
    // Statements that one client sends without waiting for each other share a round trip.
    pipeline: true,
    Client: createClientClass({ pool: poolName, isPrepared: options.isPrepared !== false }),
  } as pg.PoolConfig;
  const pool = openPool(settings, options);
  pool.once('connect', (client) => {
    findSessionFault(client).then(
      (fault) => fault !== undefined && options.logger?.warn({}, fault),
      () => undefined,
    );
  });
  const stopObserving = observePool(pool, poolName);
  return {
    pool,
    query: keepsPlans
      ? (((...args: Parameters<Sql['query']>) => queryKeepingPlans(pool, args)) as Sql['query'])
      : (pool.query.bind(pool) as Sql['query']),
    transaction: (work, opening, more) =>
      runInTransaction(pool, { work, opening, options: { keepsPlans, ...more } }),
    close: () => {
      stopObserving();
      return pool.end();
    },
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

/** The settings must not outlive the statement, so a transaction surrounds both. All of it shares a round trip. */
async function queryKeepingPlans(pool: pg.Pool, args: Parameters<Sql['query']>): Promise<unknown> {
  const client = await pool.connect();
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const [, queried, ended] = await Promise.allSettled([
    query(BEGIN_KEEPING_PLANS),
    query(...args),
    // The server turns the COMMIT behind a failed statement into a ROLLBACK.
    query('COMMIT'),
  ]);
  client.release(ended.status === 'rejected' ? (ended.reason as Error) : undefined);
  if (queried.status === 'rejected') throw queried.reason;
  if (ended.status === 'rejected') throw ended.reason;
  return queried.value;
}

async function runInTransaction<T>(
  pool: pg.Pool,
  {
    work,
    opening = [],
    options = {},
  }: {
    readonly work: (sql: Transaction, opened: readonly (readonly unknown[])[]) => Promise<T>;
    readonly opening?: readonly Statement[];
    readonly options?: TransactionOptions;
  },
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
      // Its outcome is checked with COMMIT; `work` may fail earlier.
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
    // Statements after a failed one failed because of it, so its error is the one to report.
    await Promise.all(sent);
    throw error;
  } finally {
    client.release(broken);
  }
}
