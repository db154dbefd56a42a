// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { MigrationChangedError, MigrationFailedError, MigrationsMissingError } from './migration-errors.ts';
import { refuseServer } from './refuse-server.ts';
import { setSessionSettings, type SettingsResult } from './session-settings.ts';

export interface MigrationResult extends SettingsResult {
  /** Names of the migrations that ran now, in order. */
  readonly applied: readonly string[];
  /** Names of those that had run before, or whose work older migrations had done. */
  readonly skipped: readonly string[];
  /** Names of the files of SQL functions that were new or had changed. */
  readonly functions: readonly string[];
}

/**
 * Applies `<prismaDir>/migrations/<name>/migration.sql` in the order of the names, then those files of `<prismaDir>/sql` that
 * are new or have changed, and gives the role its time-outs, all in one transaction. `before.sql` beside a migration does
 * first what would keep writers waiting in it: it may run any number of times, and services of the release before go on.
 * Migrations are recorded as `prisma migrate deploy` does (table, checksum and lock), so that both can be used on one
 * database. Any number of processes may call it at the same time, also through a pooler; a second call does nothing.
 * @throws MigrationChangedError when an applied file was edited; MigrationsMissingError when the database is too old;
 * MigrationFailedError with the file and the reason; ServerRefusedError
 */
export async function applyMigrations(url: string, prismaDir: string): Promise<MigrationResult> {
  const migrations = await readMigrations(join(prismaDir, 'migrations'));
  const functions = await readFunctions(join(prismaDir, 'sql'));
  const client = new pg.Client({
    connectionString: url,
    application_name: 'migrate',
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    await refuseServer(client);
    await prepareMigrations(client, migrations);
    await client.query('BEGIN');
    await client.query(OPEN);
    await client.query(CREATE_TABLES);
    const known = await readApplied(client);
    const pending = migrations.filter((migration) => !isApplied(migration, known));
    const adopted = pending.filter((migration) => isReplaced(migration, known));
    const applied = pending.filter((migration) => !adopted.includes(migration));
    for (const migration of adopted) await recordMigration(client, migration, 0);
    for (const migration of applied) await applyMigration(client, migration);
    const changed = await applyFunctions(client, functions);
    const session = await setSessionSettings(client);
    await client.query('COMMIT');
    return {
      applied: applied.map(({ name }) => name),
      skipped: migrations.filter((migration) => !applied.includes(migration)).map(({ name }) => name),
      functions: changed,
      ...session,
    };
  } finally {
    // Ending the session rolls back what is not committed.
    await client.end();
  }
}

/** The advisory lock of Prisma's own migrate: both wait for each other. */
const PRISMA_LOCK = 72707369;

/** The role's own time-outs are for services. */
const OPEN = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SELECT pg_advisory_xact_lock(${PRISMA_LOCK})`;

const CREATE_TABLES = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS _sql_functions (name text PRIMARY KEY, checksum text NOT NULL)`;

interface SqlFile {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface Migration extends SqlFile {
  /** What is done in transactions of its own first. */
  readonly before?: string;
  /** The older migrations that it stands for, and the last release that had them. */
  readonly replaces?: { readonly release: string; readonly migrations: readonly string[] };
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = (await readdir(dir, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return Promise.all(
    entries
      .map(({ name }) => name)
      .sort()
      .map(async (name) => {
        const file = await readSqlFile(name, join(dir, name, 'migration.sql'));
        const others = await readdir(join(dir, name));
        const read = (other: string): Promise<string> => readFile(join(dir, name, other), 'utf8');
        return {
          ...file,
          ...(others.includes('before.sql') ? { before: await read('before.sql') } : {}),
          ...(others.includes('replaces.json') ? { replaces: JSON.parse(await read('replaces.json')) } : {}),
        };
      }),
  );
}

async function readFunctions(dir: string): Promise<SqlFile[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map((name) => readSqlFile(name, join(dir, name))));
}

async function readSqlFile(name: string, path: string): Promise<SqlFile> {
  const sql = await readFile(path, 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const unfinished = rows.find((row) => row.finished_at === null);
  if (unfinished)
    throw new MigrationFailedError(
      unfinished.migration_name,
      'an earlier run of it did not finish: resolve it with prisma migrate resolve',
    );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

function isApplied({ name, checksum }: Migration, known: ReadonlyMap<string, string>): boolean {
  const applied = known.get(name);
  if (applied !== undefined && applied !== checksum) throw new MigrationChangedError(name);
  return applied !== undefined;
}

/** Whether the database has all migrations that this one replaces. With a part of them nobody knows what is missing. */
function isReplaced({ name, replaces }: Migration, known: ReadonlyMap<string, string>): boolean {
  if (replaces === undefined) return false;
  const missing = replaces.migrations.filter((older) => !known.has(older));
  if (missing.length > 0 && missing.length < replaces.migrations.length)
    throw new MigrationsMissingError(name, missing, replaces.release);
  return missing.length === 0;
}

/** Each part in a transaction of its own. What an interrupted process leaves behind, the next one finds done. */
async function prepareMigrations(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ is_new: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NULL AS is_new`,
  );
  if (rows[0]!.is_new) return;
  const known = await readApplied(client);
  const pending = migrations.filter((migration) => !isApplied(migration, known));
  for (const { name, before } of pending.filter((migration) => !isReplaced(migration, known)))
    for (const part of before?.split(/^-- next transaction$/m) ?? [])
      await runFile(client, { name, sql: `BEGIN; ${OPEN}; ${part}; COMMIT` });
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await runFile(client, migration);
  await recordMigration(client, migration, 1);
}

async function recordMigration(client: pg.Client, migration: Migration, steps: number): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), $4)`,
    [randomUUID(), migration.checksum, migration.name, steps],
  );
}

/** Functions and their triggers are replaced whole: the same file may run any number of times. */
async function applyFunctions(client: pg.Client, files: readonly SqlFile[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM _sql_functions',
  );
  const known = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const changed = files.filter(({ name, checksum }) => known.get(name) !== checksum);
  // They call each other, in any order.
  await client.query('SET LOCAL check_function_bodies = off');
  for (const file of changed) {
    await runFile(client, file);
    await client.query(
      'INSERT INTO _sql_functions VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET checksum = EXCLUDED.checksum',
      [file.name, file.checksum],
    );
  }
  return changed.map(({ name }) => name);
}

async function runFile(client: pg.Client, { name, sql }: Pick<SqlFile, 'name' | 'sql'>): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw new MigrationFailedError(name, error instanceof Error ? error.message : String(error), error);
  }
}
