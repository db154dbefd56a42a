// SPDX-License-Identifier: Apache-2.0
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from '../db/index.ts';

/** A fresh database, with the sessions of whoever had it before. */
export interface LentDatabase {
  readonly url: string;
  readonly db: Database;
  /** For the next test: new databases and sessions cost more than most tests. Whoever still uses it is refused. */
  giveBack(): Promise<void>;
}

interface Spare {
  readonly url: string;
  readonly db: Database;
  /** Transactions from this one on are a test's. */
  readonly firstXid: string;
}

const spares = new WeakMap<PostgresHandle, Spare[]>();

/** A database of this server that nobody else uses, empty but for its schema. */
export async function lendDatabase(postgres: PostgresHandle): Promise<LentDatabase> {
  const spare = spares.get(postgres)?.pop() ?? (await makeSpare(postgres));
  const { url, db, firstXid } = spare;
  let isOver = false;
  const unlessOver =
    <T extends (...args: never[]) => unknown>(work: T) =>
    (...args: Parameters<T>) =>
      isOver ? Promise.reject(new Error('the database was given back')) : work(...args);
  return {
    url,
    db: {
      ...db,
      query: unlessOver(db.query) as Database['query'],
      transaction: unlessOver(db.transaction),
    } as Database,
    async giveBack() {
      isOver = true;
      // Who was killed may have left a transaction open.
      if (db.pool.idleCount < db.pool.totalCount || (await hasSchemaChanged(db, firstXid))) return db.close();
      await postgres.empty(db);
      spares.set(postgres, [...(spares.get(postgres) ?? []), spare]);
    },
  };
}

/** Nobody has to close them otherwise. */
export async function closeSpares(postgres: PostgresHandle): Promise<void> {
  await Promise.all((spares.get(postgres) ?? []).splice(0).map(({ db }) => db.close()));
}

async function makeSpare(postgres: PostgresHandle): Promise<Spare> {
  const url = await postgres.createDatabase();
  const db = createDatabase({ url, applicationName: 'spec' });
  const { rows } = await db.query<{ xid: string }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid',
  );
  return { url, db, firstXid: rows[0]!.xid };
}

async function hasSchemaChanged(db: Database, firstXid: string): Promise<boolean> {
  const catalogs = ['pg_class', 'pg_attribute', 'pg_proc', 'pg_trigger', 'pg_constraint'];
  const changes = catalogs.map(
    (catalog) => `EXISTS (SELECT FROM ${catalog} WHERE xmin::text::bigint >= $1::bigint)`,
  );
  const { rows } = await db.query<{ changed: boolean }>(`SELECT ${changes.join(' OR ')} AS changed`, [
    firstXid,
  ]);
  return rows[0]!.changed;
}
