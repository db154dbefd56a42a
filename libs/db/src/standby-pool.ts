// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';
import { SERVER } from './find-proof.ts';
import { FairPool, type FindOwner } from './fair-pool.ts';
import { StandbyUnusableError, type StandbyWatch } from './standby-watch.ts';

type Query = (...args: unknown[]) => Promise<unknown>;

/**
 * A pool of a standby, for single statements that read. In the transaction of each the server proves that it is the one
 * whose age is known, and still a standby: behind a name or a pooler another one may answer, and a promoted one goes on
 * with a history of its own. All of it shares a round trip.
 */
export class StandbyPool extends FairPool {
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
