// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notOk, startHealthServer, type Logger } from '@chainwatch/platform/telemetry';
import type { Sql } from './database.ts';
import { SchemaBehindError } from './migration-errors.ts';
import { refuseServer, ServerRefusedError } from './refuse-server.ts';

export interface SchemaWaitOptions {
  readonly db: Sql;
  readonly waitMs: number;
  /** Where /readyz says meanwhile what is missing. Undefined: nowhere. */
  readonly health?: { readonly port: number; readonly host?: string };
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** Default: those of this release. */
  readonly migrationNames?: readonly string[];
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

const LOOK_MS = 1_000;

/**
 * Resolves when the database has every migration of this release. A service that began before would answer each
 * request with an error and still take the place of one that works.
 * @throws SchemaBehindError after `waitMs`; ServerRefusedError; what the signal was aborted with
 */
export async function waitForSchema(options: SchemaWaitOptions): Promise<void> {
  const { db, waitMs, health: address, logger, migrationNames = readMigrationNames(), signal } = options;
  const deadline = Date.now() + waitMs;
  let fault = await findSchemaFault(db, migrationNames);
  if (fault === undefined) return;
  logger?.warn({ wait_ms: waitMs }, `the schema was waited for: ${fault}`);
  const health =
    address && (await startHealthServer({ ...address, checks: () => ({ schema: notOk(fault ?? '') }) }));
  try {
    for (; fault !== undefined; fault = await findSchemaFault(db, migrationNames)) {
      if (Date.now() >= deadline) throw new SchemaBehindError(fault, waitMs);
      await delay(Math.max(Math.min(LOOK_MS, deadline - Date.now()), 0), undefined, { signal });
    }
  } finally {
    await health?.stop();
  }
  logger?.info({}, 'the schema was found up to date');
}

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
