// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql, Statement } from '@chainwatch/data/db';

/** The process is dead: none of its further statements runs. */
class KilledError extends Error {
  constructor() {
    super('killed');
    this.name = 'KilledError';
  }
}

/**
 * The database as seen by a process that is killed at a chosen statement: before it runs, or after it ran and
 * before its result arrives. An open transaction rolls back unless its COMMIT was the last statement.
 */
export class MortalDatabase {
  isDead = false;
  #statementsLeft = Number.POSITIVE_INFINITY;
  #diesAfter = false;

  killAt(statements: number, diesAfter: boolean): void {
    this.#statementsLeft = statements;
    this.#diesAfter = diesAfter;
  }

  wrap(db: Database): Database {
    const query = ((...args: Parameters<Sql['query']>) =>
      this.#run(() =>
        (db.query as (...all: unknown[]) => Promise<unknown>)(...args),
      )) as unknown as Sql['query'];
    return {
      pool: db.pool,
      close: () => Promise.resolve(),
      query,
      transaction: (work, opening, options) =>
        this.#run(() =>
          db.transaction(
            async (sql, opened) => {
              if (opening !== undefined) await this.#run(() => Promise.resolve());
              const sent: Promise<void>[] = [];
              const send = (statement: Statement): void => {
                const sending = this.#run(async () => sql.send(statement));
                // Looked at below; `work` may fail before.
                sending.catch(() => undefined);
                sent.push(sending);
              };
              const result = await work({ query: this.#wrapQuery(sql), send }, opened);
              await Promise.all(sent);
              return result;
            },
            opening,
            options,
          ),
        ),
    };
  }

  #wrapQuery(sql: Sql): Sql['query'] {
    return ((...args: Parameters<Sql['query']>) =>
      this.#run(() =>
        (sql.query as (...all: unknown[]) => Promise<unknown>)(...args),
      )) as unknown as Sql['query'];
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#statementsLeft -= 1;
    const isLast = this.#statementsLeft <= 0;
    if (this.isDead || (isLast && !this.#diesAfter)) {
      this.isDead = true;
      throw new KilledError();
    }
    const result = await work();
    if (isLast || this.isDead) {
      this.isDead = true;
      throw new KilledError();
    }
    return result;
  }
}
