// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sql } from './database.ts';
import { refuseServer, ServerRefusedError } from './refuse-server.ts';

/**
 * The folder `prisma` with migrations and functions: beside a bundle in an image, in a clone above the bundle or this source.
 * @throws Error with the folder where the search began
 */
export function findPrismaDir(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let dir = start; ; dir = dirname(dir)) {
    const found = join(dir, 'prisma');
    if (existsSync(join(found, 'migrations'))) return found;
    if (dir === dirname(dir))
      throw new Error(`expected a folder prisma with migrations in ${start} or above it, got none`);
  }
}

/** Names of the migrations that this release brings, in order. */
export function readMigrationNames(prismaDir = findPrismaDir()): string[] {
  return readdirSync(join(prismaDir, 'migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * Why this release cannot work on the database, in one sentence; undefined when its schema has every migration of
 * the release. It may have more: a release also runs on the schema of the next one (docs/guides/upgrade.md).
 * @throws ServerRefusedError
 */
export async function findSchemaFault(sql: Sql, names: readonly string[]): Promise<string | undefined> {
  try {
    await refuseServer(sql);
    const { rows } = await sql.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE migration_name = ANY($1) AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      [names],
    );
    const applied = new Set(rows.map(({ name }) => name));
    const missing = names.filter((name) => !applied.has(name));
    return missing.length === 0 ? undefined : describeMissing(missing);
  } catch (error) {
    if (error instanceof ServerRefusedError) throw error;
    const { code, message } = error as { code?: string; message?: string };
    if (code === UNDEFINED_TABLE) return describeMissing(names);
    return `the database does not answer: ${message || code || String(error)}`;
  }
}

const UNDEFINED_TABLE = '42P01';

function describeMissing(missing: readonly string[]): string {
  const count = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`;
  return `expected a database with migration ${missing.at(-1)}, but ${count} missing: run migrate.mjs of this release`;
}
