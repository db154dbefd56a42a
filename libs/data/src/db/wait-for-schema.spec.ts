// SPDX-License-Identifier: Apache-2.0
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { startPostgres, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { findPrismaDir, findSchemaFault, readMigrationNames, waitForSchema } from './wait-for-schema.ts';
import { applyMigrations } from './migrate.ts';
import { SchemaBehindError } from './migration-errors.ts';

const names = readMigrationNames();
const newest = names.at(-1)!;

let postgres: PostgresHandle;
let url: string;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  url = await postgres.createDatabase();
  db = createDatabase({ url, applicationName: 'spec' });
});
afterEach(() => db.close());
afterAll(() => postgres.stop());

async function findPort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const readReadiness = (port: number): Promise<{ status: number; text: string }> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    async (res) => ({ status: res.status, text: await res.text() }),
    () => ({ status: 0, text: '' }),
  );

describe('waitForSchema', () => {
  it('waits, not ready and alive, until the migrations ran', async () => {
    const healthPort = await findPort();
    const lines: string[] = [];
    const log = (_fields: object, message: string): void => void lines.push(message);
    let isDone = false;
    const waiting = waitForSchema({
      db,
      health: { port: healthPort },
      waitMs: 60_000,
      logger: { info: log, warn: log },
    }).then(() => (isDone = true));
    const sentence = `expected a database with migration ${newest}, but ${names.length} migrations are missing: run migrate.mjs of this release`;
    await waitFor(async () => (await readReadiness(healthPort)).status === 503);
    expect(await readReadiness(healthPort)).toEqual({
      status: 503,
      text: JSON.stringify({ status: 'not_ready', checks: { schema: { ok: false, reason: sentence } } }),
    });
    expect((await fetch(`http://127.0.0.1:${healthPort}/healthz`)).status).toBe(200);
    expect(isDone).toBe(false);
    await applyMigrations(url, findPrismaDir());
    await waiting;
    expect(lines).toEqual([`the schema was waited for: ${sentence}`, 'the schema was found up to date']);
    // The service's own health server takes the port now.
    expect((await readReadiness(healthPort)).status).toBe(0);
  });

  it('ends at once when it is told to, and gives its port back', async () => {
    const healthPort = await findPort();
    const stop = new AbortController();
    const waiting = waitForSchema({ db, health: { port: healthPort }, waitMs: 60_000, signal: stop.signal });
    await waitFor(async () => (await readReadiness(healthPort)).status === 503);
    const stoppedAt = performance.now();
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(performance.now() - stoppedAt).toBeLessThan(900);
    expect((await readReadiness(healthPort)).status).toBe(0);
  });

  it('gives up after its time', async () => {
    await expect(waitForSchema({ db, waitMs: 50 })).rejects.toThrow(SchemaBehindError);
    await expect(waitForSchema({ db, waitMs: 0 })).rejects.toThrow(/^expected a database with migration/);
  });

  it('waits for a database that does not answer, and says so', async () => {
    const away = createDatabase({
      url: `postgres://a:b@127.0.0.1:${await findPort()}/c`,
      applicationName: 'spec',
    });
    await expect(waitForSchema({ db: away, waitMs: 50 })).rejects.toThrow(
      /^the database does not answer: connect ECONNREFUSED .* \(waited for 0 s\)$/,
    );
    await away.close();
  });
});

describe('findSchemaFault', () => {
  beforeEach(() => applyMigrations(url, findPrismaDir()));

  it('is content with a schema that is newer', async () => {
    expect(await findSchemaFault(db, names)).toBeUndefined();
    await db.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('later', '', '29991231000000_later', now())`,
    );
    expect(await findSchemaFault(db, names)).toBeUndefined();
  });

  it.each([
    ['has not begun', 'DELETE FROM _prisma_migrations WHERE migration_name = $1'],
    ['did not end', 'UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1'],
    ['was taken back', 'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1'],
  ])('finds one that %s, the newest or an older one', async (_, statement) => {
    await db.query(statement, [names[1]]);
    expect(await findSchemaFault(db, names)).toBe(
      `expected a database with migration ${names[1]}, but 1 migration is missing: run migrate.mjs of this release`,
    );
    await db.query(statement, [newest]);
    expect(await findSchemaFault(db, names)).toContain(`${newest}, but 2 migrations are missing`);
  });
});
