// SPDX-License-Identifier: Apache-2.0
import type { Sql, Statement, Transaction } from '@chainwatch/data/db';
import type { BalanceStore } from '../store/balance-store.ts';

/** The session; the first time that a statement matches `pattern`, `happen` runs before it. */
export function beforeStatement(session: Sql, pattern: RegExp, happen: () => Promise<void>): Sql {
  let isDue = true;
  const query = async (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
    const isNow = isDue && pattern.test(typeof statement === 'string' ? statement : statement.text);
    if (isNow) isDue = false;
    if (isNow) await happen();
    return session.query(statement as string, values);
  };
  return { query: query as Sql['query'] };
}

/** A store on one session, without an owner. */
export function storeOn(session: Sql): BalanceStore {
  const transact = async <T>(begin: string, work: (sql: Transaction) => Promise<T>): Promise<T> => {
    await session.query(begin);
    try {
      const result = await work({
        query: session.query.bind(session) as Sql['query'],
        send: () => undefined,
      });
      await session.query('COMMIT');
      return result;
    } catch (error) {
      await session.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  };
  return {
    sql: session,
    snapshot: (work) => transact('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    write: (work) => transact('BEGIN', work),
  };
}
