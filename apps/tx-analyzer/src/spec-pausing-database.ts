import type { Database, Sql } from '@chainwatch/db';

/** A database as a process sees it that is held up before each named statement, until `before` resolves. */
export class PausingDatabase {
  readonly isDead = false;
  readonly #before: (name: string | undefined) => Promise<void>;

  constructor(before: (name: string | undefined) => Promise<void>) {
    this.#before = before;
  }

  wrap(db: Database): Database {
    return { pool: db.pool, close: () => Promise.resolve(), query: this.#wrapQuery(db), transaction: (work) => db.transaction((sql) => work({ query: this.#wrapQuery(sql) })) };
  }

  #wrapQuery(sql: Sql): Sql['query'] {
    return (async (...args: [string | { name?: string }, ...unknown[]]) => {
      await this.#before(typeof args[0] === 'string' ? undefined : args[0].name);
      return (sql.query as (...all: unknown[]) => Promise<unknown>)(...args);
    }) as unknown as Sql['query'];
  }
}
