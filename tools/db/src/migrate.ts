/** `tsx tools/db/src/migrate.ts`, in an image `migrate.mjs`: applies prisma/migrations to DATABASE_URL, prints what ran. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyMigrations } from '@chainwatch/db';
import { readDatabaseUrl } from './read-database-url.ts';

// A bundle has them beside it.
const besideDir = fileURLToPath(new URL('./migrations', import.meta.url));
const migrationsDir = existsSync(besideDir)
  ? besideDir
  : fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

try {
  const { applied, skipped } = await applyMigrations(readDatabaseUrl(), migrationsDir);
  console.log(JSON.stringify({ applied, skipped }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
