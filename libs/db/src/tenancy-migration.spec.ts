import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const migrations = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const FIRST = '20261122191000_tenancy';

/** An installation as it was before workspaces were told apart, upgraded. */
describe('the migrations of tenancy', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let url: string;
  let dir: string;
  beforeAll(async () => {
    postgres = await startPostgres({ isMigrated: false });
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = createDatabase({ url, applicationName: 'tenancy-migration-spec' });
    dir = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const name of readdirSync(migrations).filter((entry) => entry < FIRST)) cpSync(join(migrations, name), join(dir, name), { recursive: true });
    await applyMigrations(url, dir);
  });
  afterEach(async () => {
    await db.close();
    rmSync(dir, { recursive: true });
  });
  afterAll(() => postgres.stop());

  const upgrade = async (): Promise<void> => void (await applyMigrations(url, migrations));

  it('make the oldest workspace the one that acts for the installation', async () => {
    await db.query(`INSERT INTO workspaces (name, created_at) VALUES ('second', '2026-01-02'), ('first', '2026-01-01'), ('third', '2026-01-03')`);
    await upgrade();
    expect((await db.query('SELECT name, is_operator FROM workspaces ORDER BY name')).rows).toEqual([
      { name: 'first', is_operator: true },
      { name: 'second', is_operator: false },
      { name: 'third', is_operator: false },
    ]);
  });
});
