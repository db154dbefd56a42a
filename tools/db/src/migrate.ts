/** `tsx tools/db/src/migrate.ts`, in an image `migrate.mjs`: applies prisma/migrations and prisma/sql to DATABASE_URL, prints what ran. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyMigrations } from '@chainwatch/db';
import { readDatabaseUrl } from './read-database-url.ts';

// A bundle has them beside it.
const besideDir = fileURLToPath(new URL('./prisma', import.meta.url));
const prismaDir = existsSync(besideDir)
  ? besideDir
  : fileURLToPath(new URL('../../../prisma', import.meta.url));

try {
  console.log(JSON.stringify(await applyMigrations(readDatabaseUrl(), prismaDir)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
