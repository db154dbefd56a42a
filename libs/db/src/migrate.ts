import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { MigrationChangedError, MigrationFailedError } from './migration-errors.ts';

export interface MigrationResult {
  /** Names of the migrations that ran now, in order. */
  readonly applied: readonly string[];
  /** Names of those that had run before. */
  readonly skipped: readonly string[];
}

/**
 * Applies `<migrationsDir>/<name>/migration.sql` in the order of the names, each in one transaction, and records them
 * as `prisma migrate deploy` does (table, checksum and lock), so that both can be used on one database. Any number of
 * processes may call it at once; a second call does nothing.
 * @throws MigrationChangedError when an applied file was edited, MigrationFailedError with the file and the reason
 */
export async function applyMigrations(url: string, migrationsDir: string): Promise<MigrationResult> {
  const migrations = await readMigrations(migrationsDir);
  const client = new pg.Client({
    connectionString: url,
    application_name: 'migrate',
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${PRISMA_LOCK})`);
    await client.query(CREATE_TABLE);
    const checksums = await readApplied(client);
    const applied: string[] = [];
    const skipped: string[] = [];
    for (const migration of migrations) {
      const known = checksums.get(migration.name);
      if (known !== undefined && known !== migration.checksum)
        throw new MigrationChangedError(migration.name);
      if (known === undefined) await applyMigration(client, migration);
      (known === undefined ? applied : skipped).push(migration.name);
    }
    return { applied, skipped };
  } finally {
    await client.end();
  }
}

/** The advisory lock of Prisma's own migrate: both wait for each other. */
const PRISMA_LOCK = 72707369;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(dir, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
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

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw new MigrationFailedError(
      migration.name,
      error instanceof Error ? error.message : String(error),
      error,
    );
  }
}
