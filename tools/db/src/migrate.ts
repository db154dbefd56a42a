// SPDX-License-Identifier: Apache-2.0
/**
 * `tsx tools/db/src/migrate.ts`, in an image `migrate.mjs`: applies prisma/migrations and prisma/sql to DATABASE_URL, prints
 * what ran. `--check` only looks whether that has been done, with `--wait 10m` for so long.
 */
import { durationMs } from '@chainwatch/platform/config';
import { applyMigrations, createDatabase, findPrismaDir, waitForSchema } from '@chainwatch/data/db';
import { readDatabaseUrl } from './read-database-url.ts';
import { ArgumentError, runTool } from './run-tool.ts';

await runTool(
  { check: { type: 'boolean', default: false }, wait: { type: 'string', default: '0s' } },
  async ({ check, wait }) => {
    const waitMs = durationMs().safeParse(wait);
    if (!waitMs.success)
      throw new ArgumentError(`expected --wait with a duration such as 10m, got ${wait || 'nothing'}`);
    await (check ? checkSchema(waitMs.data) : applySchema());
  },
);

async function applySchema(): Promise<void> {
  const { warning, ...result } = await applyMigrations(readDatabaseUrl(), findPrismaDir());
  if (warning !== undefined) console.error(warning);
  console.log(JSON.stringify(result));
}

async function checkSchema(waitMs: number): Promise<void> {
  const db = createDatabase({ url: readDatabaseUrl(), applicationName: 'migrate', poolSize: 1 });
  const print = (fields: object, message: string): void => console.error(message, JSON.stringify(fields));
  try {
    const stop = new AbortController();
    // The first process of a container has no default for it.
    process.once('SIGTERM', () => stop.abort());
    await waitForSchema({ db, waitMs, logger: { info: print, warn: print }, signal: stop.signal });
  } finally {
    await db.close();
  }
}
