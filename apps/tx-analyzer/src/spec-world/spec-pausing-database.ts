// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql, Transaction } from '@chainwatch/data/db';

/** The database as seen by a process that is paused before each named statement, until `before` resolves. */
export class PausingDatabase {
  readonly isDead = false;
  readonly #before: (name: string | undefined) => Promise<void>;

  constructor(before: (name: string | undefined) => Promise<void>) {
    this.#before = before;
  }

  wrap(db: Database): Database {
    return {
      pool: db.pool,
      close: () => Promise.resolve(),
      query: this.#wrapQuery(db),
      transaction: async (work, opening, options) => {
        for (const statement of opening ?? []) await this.#before(statement.name);
        return db.transaction(
          (sql, opened) => this.#work(sql, (paused) => work(paused, opened)),
          opening,
          options,
        );
      },
    };
  }

  async #work<T>(sql: Transaction, work: (paused: Transaction) => Promise<T>): Promise<T> {
    let sending: Promise<void> = Promise.resolve();
    const send: Transaction['send'] = (statement) => {
      sending = sending.then(() => this.#before(statement.name)).then(() => sql.send(statement));
    };
    const query = this.#wrapQuery(sql);
    // What is sent keeps its place before what follows.
    const result = await work({
      query: (async (...args: [never]) => sending.then(() => query(...args))) as unknown as Sql['query'],
      send,
    });
    await sending;
    return result;
  }

  #wrapQuery(sql: Sql): Sql['query'] {
    return (async (...args: [string | { name?: string }, ...unknown[]]) => {
      await this.#before(typeof args[0] === 'string' ? undefined : args[0].name);
      return (sql.query as (...all: unknown[]) => Promise<unknown>)(...args);
    }) as unknown as Sql['query'];
  }
}
