/** `tsx tools/db/src/migrate.ts`: applies prisma/migrations to DATABASE_URL, prints what ran. */
import { fileURLToPath } from 'node:url';
import { applyMigrations } from '@chainwatch/db';
import { readDatabaseUrl } from './read-database-url.ts';

const migrationsDir = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

try {
  const { applied, skipped } = await applyMigrations(readDatabaseUrl(), migrationsDir);
  console.log(JSON.stringify({ applied, skipped }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
