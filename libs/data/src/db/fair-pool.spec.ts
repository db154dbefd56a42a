// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { FairPool } from './fair-pool.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

const owners = new AsyncLocalStorage<string>();

describe('a pool that owners share', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    db = createDatabase({
      url: postgres.url,
      applicationName: 'fair',
      poolSize: 4,
      findOwner: () => owners.getStore(),
    });
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  const held = new Set<() => void>();
  afterEach(() => {
    for (const release of held) release();
    held.clear();
  });

  /** Holds a session until the function that it returns is called. */
  const hold = async (owner: string): Promise<() => Promise<void>> => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    held.add(release);
    let done: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      done = owners.run(owner, () =>
        db.transaction(async (sql) => {
          await sql.query('SELECT 1');
          resolve();
          await released;
        }),
      );
      done.catch(reject);
    });
    return async () => {
      release();
      await done;
    };
  };

  it('lets a greedy owner have half of the sessions, and others go on beside it', async () => {
    const first = await hold('greedy');
    const second = await hold('greedy');
    let isThirdThere = false;
    const third = hold('greedy').then((release) => {
      isThirdThere = true;
      return release;
    });
    const { rows } = await owners.run('polite', () => db.query('SELECT 7 AS n'));
    expect(rows).toEqual([{ n: 7 }]);
    expect((await db.query('SELECT 8 AS n')).rows).toEqual([{ n: 8 }]);
    expect(isThirdThere).toBe(false);
    await first();
    await (await third)();
    await second();
  });

  it('serves one statement of another owner behind one of a greedy one, not behind all', async () => {
    const order: string[] = [];
    const query = (owner: string): Promise<unknown> =>
      owners.run(owner, () => db.query('SELECT pg_sleep(0.01)').then(() => order.push(owner)));
    // The sessions are open already.
    await Promise.all(['a', 'b', 'c', 'd'].map((owner) => query(owner)));
    order.length = 0;
    await Promise.all([...Array.from({ length: 60 }, () => query('greedy')), query('polite')]);
    expect(order.indexOf('polite')).toBeLessThan(10);
  });

  it('gives sessions back after statements that fail', async () => {
    for (let round = 0; round < 10; round += 1) {
      await expect(owners.run('a', () => db.query('SELECT 1 / 0'))).rejects.toMatchObject({ code: '22012' });
      await expect(
        owners.run('a', () => db.transaction((sql) => sql.query('SELECT nonsense'))),
      ).rejects.toMatchObject({ code: '42703' });
    }
    const releases = [await hold('a'), await hold('a')];
    for (const release of releases) await release();
  });

  it('tells who waits too long what the pool itself tells', async () => {
    const pool = new FairPool(
      { connectionString: postgres.url, max: 4, connectionTimeoutMillis: 300 },
      () => 'a',
    );
    const clients = [await pool.connect(), await pool.connect()];
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout exceeded when trying to connect');
    expect(pool.countWaiting()).toBe(0);
    const waiting = pool.query('SELECT 1 AS n');
    expect(pool.countWaiting()).toBe(1);
    clients[0]!.release();
    expect((await waiting).rows).toEqual([{ n: 1 }]);
    clients[1]!.release();
    await pool.end();
  });

  it('works for Prisma, inside its transactions and outside', async () => {
    const prisma = createPrisma(postgres.url, { poolSize: 3, findOwner: () => owners.getStore() });
    const counts = await owners.run('a', () =>
      Promise.all([
        ...Array.from({ length: 20 }, () => prisma.workspace.count()),
        ...Array.from({ length: 5 }, () => prisma.$transaction((sql) => sql.workspace.count())),
      ]),
    );
    expect(new Set(counts)).toEqual(new Set([0]));
    await prisma.$disconnect();
  });
});
