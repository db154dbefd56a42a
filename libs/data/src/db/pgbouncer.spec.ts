// SPDX-License-Identifier: Apache-2.0
import { findPgBouncer, startPgBouncer, startPostgres, waitFor } from '@chainwatch/testing';
import type { PgBouncerHandle, PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

const PRISMA_DIR = new URL('../../../../prisma', import.meta.url).pathname;
const SETTINGS = ['plan_cache_mode', 'enable_seqscan', 'jit', 'statement_timeout'];

const isInstalled = findPgBouncer() !== undefined;
if (!isInstalled)
  console.warn('PgBouncer is not installed (apt-get install pgbouncer): its specs did not run.');

(isInstalled ? describe : describe.skip)('through PgBouncer in transaction mode', () => {
  let postgres: PostgresHandle;
  let bouncer: PgBouncerHandle;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    // Two sessions for all clients, so that each client finds what others left in them.
    bouncer = await startPgBouncer(postgres.url, { poolSize: 2 });
  });
  afterAll(async () => {
    await bouncer.stop();
    await postgres.stop();
  });

  const open = (more: Partial<Parameters<typeof createDatabase>[0]> = {}): Database =>
    createDatabase({
      url: bouncer.urlOf(postgres.url),
      applicationName: 'spec',
      isPrepared: false,
      ...more,
    });

  it.each([false, true])(
    'many clients send named statements side by side, in transactions and outside (keepsPlans %s)',
    async (keepsPlans) => {
      const clients = Array.from({ length: 4 }, () => open({ keepsPlans, poolSize: 4 }));
      const asked = Array.from({ length: 200 }, (_, index) => index);
      const named = (value: number) => ({ name: 'add', text: 'SELECT $1::int + 1 AS sum', values: [value] });
      const answers = await Promise.all(
        asked.map(async (value) => {
          const db = clients[value % clients.length]!;
          if (value % 2 === 0) return (await db.query<{ sum: number }>(named(value))).rows[0]!.sum;
          return db.transaction(
            async (sql, [opened]) => {
              sql.send(named(value));
              const { rows } = await sql.query<{ sum: number }>(
                named((opened![0] as { sum: number }).sum - 1),
              );
              return rows[0]!.sum;
            },
            [named(value)],
            { keepsPlans: true },
          );
        }),
      );
      expect(answers).toEqual(asked.map((value) => value + 1));
      await Promise.all(clients.map((db) => db.close()));
    },
  );

  it('sessions go back as they came: with the time-outs of the role, and without the settings of our plans', async () => {
    const [planned, plain] = [open({ keepsPlans: true }), open()];
    const show = `SELECT array(SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, position) ORDER BY position) AS settings`;
    const ask = async (db: Database) =>
      (await db.query<{ settings: string[] }>(show, [SETTINGS])).rows[0]!.settings;
    const transaction = await plain.transaction(
      async (sql) => (await sql.query<{ settings: string[] }>(show, [SETTINGS])).rows[0]!.settings,
      [],
      { keepsPlans: true },
    );
    const kept = ['force_generic_plan', 'off', 'off', '30s'];
    expect([await ask(planned), transaction]).toEqual([kept, kept]);
    const others = await Promise.all(Array.from({ length: 20 }, () => ask(plain)));
    expect(new Set(others.map((settings) => settings.join()))).toEqual(new Set(['auto,on,on,30s']));
    await Promise.all([planned.close(), plain.close()]);
  });

  it('a statement that fails leaves nothing open for the next', async () => {
    const db = open({ keepsPlans: true, poolSize: 1 });
    for (let time = 0; time < 5; time++) {
      await expect(db.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
      await expect(db.transaction((sql) => sql.query('SELECT 1 / 0'))).rejects.toThrow('division by zero');
      expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    }
    await db.close();
  });

  it('a client that stands still inside of a transaction loses its session within the time of the role', async () => {
    const db = open();
    await db.query('CREATE TABLE held (id int)');
    await expect(
      db.transaction(async (sql) => {
        await sql.query('INSERT INTO held VALUES (1)');
        const [{ pid }] = (await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [
          { pid: number },
        ];
        await waitUntilGone(db, pid);
        await sql.query('INSERT INTO held VALUES (2)');
      }),
    ).rejects.toThrow();
    expect((await db.query('SELECT * FROM held')).rows).toEqual([]);
    await db.close();
  });

  it('migrates, and applies nothing the second time', async () => {
    const url = bouncer.urlOf(await postgres.createDatabase());
    const db = open({ url });
    await db.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await db.close();
    const results = await Promise.all([1, 2, 3].map(() => applyMigrations(url, PRISMA_DIR)));
    expect(results.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  });

  it('is what Prisma works through', async () => {
    const clients = Array.from({ length: 3 }, () => createPrisma(bouncer.urlOf(postgres.url)));
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const prisma = clients[index % clients.length]!;
        const made = await prisma.workspace.create({
          data: { name: `w${index}`, projects: { create: { name: 'p' } } },
          include: { projects: true },
        });
        expect(made.projects).toHaveLength(1);
        expect(await prisma.workspace.findUnique({ where: { id: made.id } })).toMatchObject({
          name: `w${index}`,
        });
      }),
    );
    await Promise.all(clients.map((prisma) => prisma.$disconnect()));
  });
});

async function waitUntilGone(db: Database, pid: number): Promise<void> {
  await waitFor(
    async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0,
    { message: 'the session to be ended' },
  );
}
