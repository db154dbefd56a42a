import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { MigrationChangedError, MigrationFailedError } from './migration-errors.ts';
import { applyMigrations } from './migrate.ts';

const source = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

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
    cpSync(source, dir, { recursive: true });
  });
  afterEach(async () => {
    await db.close();
    rmSync(dir, { recursive: true });
  });
  afterAll(() => postgres.stop());

  it('applies every file in order and records it as Prisma does', async () => {
    const { applied, skipped } = await applyMigrations(url, dir);
    expect(applied).toContain('20261120000000_init');
    expect([...applied]).toEqual([...applied].sort());
    expect(skipped).toEqual([]);
    const { rows } = await db.query('SELECT * FROM _prisma_migrations ORDER BY migration_name');
    const sql = readFileSync(join(dir, '20261120000000_init', 'migration.sql'));
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(sql).digest('hex'),
      finished_at: expect.any(Object),
      migration_name: '20261120000000_init',
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
    appendFileSync(join(dir, '20261120000000_init', 'migration.sql'), '\n-- afterthought');
    await expect(applyMigrations(url, dir)).rejects.toThrow(MigrationChangedError);
    await expect(applyMigrations(url, dir)).rejects.toThrow(
      /20261120000000_init was changed after it had been applied/,
    );
  });

  it('leaves nothing behind of a migration that fails, and goes on once it is mended', async () => {
    addMigration('20991231000000_broken', 'CREATE TABLE half (id int); SELECT nonsense');
    await expect(applyMigrations(url, dir)).rejects.toThrow(MigrationFailedError);
    expect((await db.query(`SELECT to_regclass('half') AS half`)).rows[0].half).toBeNull();
    addMigration('20991231000000_broken', 'CREATE TABLE half (id int)');
    expect((await applyMigrations(url, dir)).applied).toEqual(['20991231000000_broken']);
  });

  it('stops at a migration that another tool left unfinished', async () => {
    await applyMigrations(url, dir);
    await db.query(`UPDATE _prisma_migrations SET finished_at = NULL`);
    await expect(applyMigrations(url, dir)).rejects.toThrow(/did not finish/);
  });

  function addMigration(name: string, sql: string): void {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, 'migration.sql'), sql);
  }
});
