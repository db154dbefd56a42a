// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';
import { setSessionSettings } from './session-settings.ts';

const PRISMA_DIR = new URL('../../../../prisma', import.meta.url).pathname;

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres({ migrate: applyMigrations });
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

/** Leaves the server's own role alone: each case gets a role that may log in and no more. */
async function addRole(name: string): Promise<string> {
  await db.query(`CREATE ROLE ${name} LOGIN PASSWORD 'p'`);
  await db.query(
    `GRANT ALL ON SCHEMA public TO ${name}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${name}`,
  );
  const url = new URL(postgres.url);
  Object.assign(url, { username: name, password: 'p' });
  return url.href;
}

describe('sessions', () => {
  const NAMES = [
    'idle_in_transaction_session_timeout',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_keepalives_count',
    'tcp_user_timeout',
    'client_connection_check_interval',
    'statement_timeout',
  ];
  const EXPECTED = ['5s', '4', '2', '2', '8000', '2s', '30s'];
  const SHOWN = `SELECT array(SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, position) ORDER BY position) AS settings`;

  it.each([false, true])(
    'of a pool are given up by the server within 10 s when nobody answers (keepsPlans %s)',
    async (keepsPlans) => {
      const own = createDatabase({ url: postgres.url, applicationName: 'spec', keepsPlans });
      const { rows } = await own.query<{ settings: string[] }>(SHOWN, [NAMES]);
      expect(rows[0]!.settings).toEqual(EXPECTED);
      await own.close();
    },
  );

  it("of Prisma's pool as well", async () => {
    const prisma = createPrisma(postgres.url);
    const rows = await prisma.$queryRawUnsafe<{ settings: string[] }[]>(SHOWN, NAMES);
    expect(rows[0]!.settings).toEqual(EXPECTED);
    await prisma.$disconnect();
  });

  it('that have no time-outs are told of, once a pool', async () => {
    const url = await addRole('forgotten');
    const warnings: string[] = [];
    const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
    for (const [role, expected] of [
      [url, 1],
      [postgres.url, 1],
    ] as const) {
      const own = createDatabase({ url: role, applicationName: 'spec', logger });
      await Promise.all([1, 2, 3].map(() => own.query('SELECT pg_sleep(0.01)')));
      await own.close();
      expect(warnings).toHaveLength(expected);
    }
    expect(warnings).toEqual([
      'expected idle_in_transaction_session_timeout = 5s and statement_timeout = 30s in sessions of the role forgotten, got none: run the migration as this role, or ALTER ROLE … SET',
    ]);
    await db.query('DROP OWNED BY forgotten; DROP ROLE forgotten');
  });
});

describe('applyMigrations', () => {
  it("gives the role its time-outs once, and leaves the operator's", async () => {
    const url = await postgres.createDatabase();
    const own = createDatabase({ url, applicationName: 'spec' });
    await own.query(`DO $$ BEGIN
      EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET tcp_user_timeout', current_user, current_database());
      EXECUTE format('ALTER ROLE %I IN DATABASE %I SET statement_timeout = ''60s''', current_user, current_database()); END $$`);
    expect((await applyMigrations(url, PRISMA_DIR)).settings).toEqual(['tcp_user_timeout']);
    expect((await applyMigrations(url, PRISMA_DIR)).settings).toEqual([]);
    await own.close();
    const next = createDatabase({ url, applicationName: 'spec' });
    expect(
      (
        await next.query(
          `SELECT current_setting('statement_timeout') AS own, current_setting('tcp_user_timeout') AS given`,
        )
      ).rows,
    ).toEqual([{ own: '1min', given: '8000' }]);
    await next.close();
  });

  it('lets a role without rights give them to itself', async () => {
    const url = await addRole('plain');
    const own = createDatabase({ url, applicationName: 'spec' });
    expect((await applyMigrations(url, PRISMA_DIR)).settings).toContain('statement_timeout');
    await own.close();
    await db.query('DROP OWNED BY plain; DROP ROLE plain');
  });

  // As on hosted servers, which let nobody alter roles.
  it('says what to run where the role may not be altered, and goes on', async () => {
    const url = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET tcp_user_timeout', current_user, current_database()); END $$`,
    );
    const query = client.query.bind(client);
    client.query = ((text: string, ...rest: unknown[]) =>
      (query as (...args: unknown[]) => unknown)(
        text.startsWith('ALTER ROLE') ? 'ALTER ROLE pg_monitor SET tcp_user_timeout = 0' : text,
        ...rest,
      )) as typeof client.query;
    await client.query('BEGIN');
    const { settings, warning } = await setSessionSettings(client);
    expect(settings).toEqual([]);
    expect(warning).toMatch(
      /^The role postgres could not be given its time-outs \(.+\): have somebody who may alter it run ALTER ROLE "postgres" IN DATABASE "test_\w+" SET tcp_user_timeout = '8s';$/,
    );
    expect((await client.query('COMMIT')).command).toBe('COMMIT');
    await client.end();
  });
});
