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
  const { warning, ...result } = await applyMigrations(readDatabaseUrl(), prismaDir);
  if (warning !== undefined) console.error(warning);
  console.log(JSON.stringify(result));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
