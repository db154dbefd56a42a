// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { waitForSchema } from './wait-for-schema.ts';

const prismaDir = fileURLToPath(new URL('../../../../prisma', import.meta.url));

// Stand-ins: a PostgreSQL whose version() answers as theirs does. None of them is to be had here.
describe('a server that is no PostgreSQL', () => {
  let postgres: PostgresHandle;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  async function disguise(version: string): Promise<string> {
    const url = await postgres.createDatabase();
    const db = createDatabase({ url, applicationName: 'disguise', poolSize: 1 });
    await db.query('CREATE SCHEMA disguise');
    await db.query(
      `CREATE FUNCTION disguise.version() RETURNS text LANGUAGE sql AS $$SELECT '${version}'::text$$`,
    );
    await db.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET search_path = disguise, pg_catalog, public`,
    );
    await db.close();
    return url;
  }
  const count = async (url: string): Promise<number> => {
    const db = createDatabase({ url, applicationName: 'count', poolSize: 1 });
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    await db.close();
    return rows[0]!.count;
  };

  it.each([
    ['CockroachDB', 'CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/16, go1.22.8)'],
    ['YugabyteDB', 'PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang'],
  ])('%s is refused in one sentence, before anything is made', async (name, version) => {
    const url = await disguise(version);
    await expect(applyMigrations(url, prismaDir)).rejects.toThrow(`expected PostgreSQL, got ${name}: `);
    expect(await count(url)).toBe(0);
    const db = createDatabase({ url, applicationName: 'refused', poolSize: 1 });
    await expect(waitForSchema({ db, waitMs: 0, migrationNames: [] })).rejects.toThrow(`got ${name}: `);
    await db.close();
  });

  it('Citus is refused by its extension', async () => {
    const url = await disguise('PostgreSQL 15.8 on x86_64-pc-linux-gnu');
    const db = createDatabase({ url, applicationName: 'disguise', poolSize: 1 });
    await db.query(
      `CREATE VIEW disguise.pg_extension AS SELECT extname FROM pg_catalog.pg_extension UNION ALL SELECT 'citus'`,
    );
    await db.close();
    await expect(applyMigrations(url, prismaDir)).rejects.toThrow('expected PostgreSQL, got Citus: ');
  });
});
