// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';
import { ContextPool } from './context-pool.ts';
import { FairPool, type FindOwner } from './fair-pool.ts';
import { type StandbyWatch, StandbyUnusableError } from './standby-watch.ts';
import { SERVER } from './find-proof.ts';

export interface PoolKind {
  /** Gives the sessions of the pool to owners in turn. */
  readonly findOwner?: FindOwner;
  /** The URL is a standby's: single statements are read while it proves its age, everything else rejects. */
  readonly standby?: StandbyWatch;
}

export function openPool(settings: pg.PoolConfig, kind: PoolKind): pg.Pool {
  const pool = createPool(settings, kind);
  // An idle client whose server went away: the pool drops it, the next query connects again.
  pool.on('error', () => undefined);
  // The same for one that is checked out, whose next query rejects; without a listener the process would die.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function createPool(settings: pg.PoolConfig, { standby: watch, findOwner }: PoolKind): pg.Pool {
  if (watch !== undefined) return new StandbyPool(settings, { watch, findOwner });
  return findOwner ? new FairPool(settings, findOwner) : new ContextPool(settings);
}

type Query = (...args: unknown[]) => Promise<unknown>;

/**
 * A pool of a standby, for single statements that read. In the transaction of each the server proves that it is the one
 * whose age is known, and still a standby: behind a name or a pooler another one may answer, and a promoted one goes on
 * with a history of its own. All of it shares a round trip.
 */
class StandbyPool extends FairPool {
  readonly #watch: StandbyWatch;
  override readonly query: pg.Pool['query'];

  constructor(
    options: pg.PoolConfig,
    { watch, findOwner = () => undefined }: { readonly watch: StandbyWatch; readonly findOwner?: FindOwner },
  ) {
    super(options, findOwner);
    this.#watch = watch;
    this.query = ((...args: unknown[]) => this.#read(args)) as pg.Pool['query'];
  }

  /** @throws StandbyUnusableError always: nothing but `query` proves what it reads */
  override connect(): Promise<never> {
    return Promise.reject(new StandbyUnusableError('expected a single statement to read from a standby'));
  }

  async #open(): Promise<pg.PoolClient> {
    const opening = super.connect();
    try {
      return await this.#watch.whileThere(opening);
    } catch (error) {
      // It may come all the same.
      opening.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    }
  }

  async #read(args: unknown[]): Promise<unknown> {
    this.#watch.require();
    const client = await this.#open();
    // Unless it is in order again: the session is closed.
    let failure: Error | undefined = new StandbyUnusableError('the read was given up');
    try {
      const { server } = this.#watch.require();
      const query = client.query.bind(client) as unknown as Query;
      const work = Promise.allSettled([
        query('BEGIN READ ONLY'),
        query({
          name: 'prove_standby',
          text: `SELECT pg_is_in_recovery() AND ${SERVER} = $1 AS "isProven"`,
          values: [server],
        }) as Promise<pg.QueryResult<{ isProven: boolean }>>,
        query(...args),
        query('COMMIT'),
      ]);
      const [, proven, answered, ended] = await this.#watch.whileThere(work);
      failure = ended.status === 'rejected' ? (ended.reason as Error) : undefined;
      if (proven.status === 'rejected') throw proven.reason;
      if (proven.value.rows[0]?.isProven !== true)
        throw new StandbyUnusableError('another server answered than the standby whose age is known');
      if (answered.status === 'rejected') throw answered.reason;
      return answered.value;
    } finally {
      client.release(failure);
    }
  }
}
