// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { MigrationChangedError, MigrationFailedError } from './migration-errors.ts';
import { applyMigrations } from './migrate.ts';

const source = fileURLToPath(new URL('../../../../prisma', import.meta.url));

describe('applyMigrations', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let url: string;
  let dir: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = createDatabase({ url, applicationName: 'migrate-spec' });
    dir = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const folder of ['migrations', 'sql'])
      cpSync(join(source, folder), join(dir, folder), { recursive: true });
  });
  afterEach(async () => {
    await db.close();
    rmSync(dir, { recursive: true });
  });
  afterAll(() => postgres.stop());

  it('applies every file in order and records it as Prisma does', async () => {
    const { applied, skipped } = await applyMigrations(url, dir);
    expect(applied).toContain('20261122200000_initial');
    expect([...applied]).toEqual([...applied].sort());
    expect(skipped).toEqual([]);
    const { rows } = await db.query('SELECT * FROM _prisma_migrations ORDER BY migration_name');
    const sql = readFileSync(join(dir, 'migrations', '20261122200000_initial', 'migration.sql'));
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(sql).digest('hex'),
      finished_at: expect.any(Object),
      migration_name: '20261122200000_initial',
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Object),
      applied_steps_count: 1,
    });
    expect((await db.query('SELECT count(*) AS rows FROM blockchains')).rows[0].rows).toBe(0);
  });

  it('does nothing the second time, and lets several processes call at once', async () => {
    const results = await Promise.all([1, 2, 3].map(() => applyMigrations(url, dir)));
    expect(results.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    expect((await applyMigrations(url, dir)).applied).toEqual([]);
  });

  it('applies what is new only', async () => {
    await applyMigrations(url, dir);
    addMigration('20991231000000_more', 'CREATE TABLE more (id int)');
    expect((await applyMigrations(url, dir)).applied).toEqual(['20991231000000_more']);
  });

  it('refuses to go on when an applied file was changed', async () => {
    await applyMigrations(url, dir);
    appendFileSync(join(dir, 'migrations', '20261122200000_initial', 'migration.sql'), '\n-- afterthought');
    await expect(applyMigrations(url, dir)).rejects.toThrow(MigrationChangedError);
    await expect(applyMigrations(url, dir)).rejects.toThrow(
      /20261122200000_initial was changed after it had been applied/,
    );
  });

  it('leaves nothing behind of a migration that fails, and goes on once it is mended', async () => {
    addMigration('20991231000000_broken', 'CREATE TABLE half (id int); SELECT nonsense');
    await expect(applyMigrations(url, dir)).rejects.toThrow(
      /^migration 20991231000000_broken failed: column "nonsense" does not exist/,
    );
    expect(await tables()).toEqual([]);
    addMigration('20991231000000_broken', 'CREATE TABLE half (id int)');
    expect((await applyMigrations(url, dir)).applied).toContain('20991231000000_broken');
    expect(await tables()).toContain('half');
  });

  it('makes functions and triggers after the migrations, and again only the files that change', async () => {
    expect((await applyMigrations(url, dir)).functions).toContain('queue_events.sql');
    expect((await applyMigrations(url, dir)).functions).toEqual([]);
    const file = join(dir, 'sql', 'queue_events.sql');
    writeFileSync(file, `${readFileSync(file, 'utf8')}COMMENT ON FUNCTION queue_events() IS 'anew';`);
    expect((await applyMigrations(url, dir)).functions).toEqual(['queue_events.sql']);
    const { rows } = await db.query(`SELECT obj_description('queue_events'::regproc, 'pg_proc') AS comment`);
    expect(rows).toEqual([{ comment: 'anew' }]);
  });

  it('changes nothing when a function cannot be made', async () => {
    await applyMigrations(url, dir);
    addMigration('20991231000000_more', 'CREATE TABLE more (id int)');
    writeFileSync(join(dir, 'sql', 'broken.sql'), 'CREATE OR REPLACE FUNCTION');
    await expect(applyMigrations(url, dir)).rejects.toThrow(MigrationFailedError);
    expect(await tables()).not.toContain('more');
  });

  it('may run every file of functions any number of times', async () => {
    await applyMigrations(url, dir);
    await db.query('DELETE FROM _sql_functions');
    const { functions } = await applyMigrations(url, dir);
    expect(functions).toEqual(readdirSync(join(source, 'sql')).sort());
  });

  // As `prisma migrate deploy` and `prisma migrate resolve --applied` write them.
  it('takes what Prisma recorded for applied, in the table that Prisma makes', async () => {
    await db.query(`CREATE TABLE "_prisma_migrations" (
      "id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ, "migration_name" VARCHAR(255) NOT NULL,
      "logs" TEXT, "rolled_back_at" TIMESTAMPTZ, "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`);
    const names = readdirSync(join(dir, 'migrations')).sort();
    for (const [index, name] of names.entries()) {
      const sql = readFileSync(join(dir, 'migrations', name, 'migration.sql'), 'utf8');
      await db.query(sql);
      await db.query(
        `INSERT INTO "_prisma_migrations" ("id", "checksum", "started_at", "finished_at", "migration_name", "applied_steps_count", "logs") VALUES ($1, $2, now(), now(), $3, $4, $5)`,
        [randomUUID(), createHash('sha256').update(sql).digest('hex'), name, index === 0 ? 0 : 1, ''],
      );
    }
    await db.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "started_at", "rolled_back_at", "migration_name") VALUES ($1, 'other', now(), now(), '20991231000000_more')`,
      [randomUUID()],
    );
    addMigration('20991231000000_more', 'CREATE TABLE more (id int)');
    const { applied, skipped, functions } = await applyMigrations(url, dir);
    expect({ applied, skipped }).toEqual({ applied: ['20991231000000_more'], skipped: names });
    expect(functions).toContain('queue_events.sql');
  });

  it('makes the table that Prisma makes', async () => {
    await applyMigrations(url, dir);
    const { rows } = await db.query(
      `SELECT string_agg(concat_ws(' ', column_name, data_type, character_maximum_length, is_nullable, column_default), ', ' ORDER BY ordinal_position) AS columns
       FROM information_schema.columns WHERE table_name = '_prisma_migrations'`,
    );
    expect(rows[0].columns).toBe(
      'id character varying 36 NO, checksum character varying 64 NO, finished_at timestamp with time zone YES, migration_name character varying 255 NO, logs text YES, rolled_back_at timestamp with time zone YES, started_at timestamp with time zone NO now(), applied_steps_count integer NO 0',
    );
  });

  it('stops at a migration that another tool left unfinished', async () => {
    await applyMigrations(url, dir);
    await db.query(`UPDATE _prisma_migrations SET finished_at = NULL`);
    await expect(applyMigrations(url, dir)).rejects.toThrow(/did not finish/);
  });

  const tables = async (): Promise<string[]> =>
    (
      await db.query(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
      )
    ).rows.map(({ name }) => name);

  function addMigration(name: string, sql: string): void {
    mkdirSync(join(dir, 'migrations', name), { recursive: true });
    writeFileSync(join(dir, 'migrations', name, 'migration.sql'), sql);
  }
});
