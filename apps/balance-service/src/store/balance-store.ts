// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql, Transaction } from '@chainwatch/data/db';
import type { OwnedShare } from '@chainwatch/data/ownership';

/** How the balances of one chain are read and written. */
export interface BalanceStore {
  /** For questions outside of transactions. */
  readonly sql: Sql;
  /** Everything in `work` sees one state of the database, and writes nothing. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** A transaction of the chain's owner. */
  write<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
}

const ONE_SNAPSHOT = [{ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' }];

export function createBalanceStore(db: Database, share: Pick<OwnedShare, 'transaction'>): BalanceStore {
  return {
    sql: db,
    snapshot: (work) => db.transaction(work, ONE_SNAPSHOT),
    write: (work) => share.transaction(work),
  };
}
