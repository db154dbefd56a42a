import { startTelemetry, type Telemetry } from '@chainwatch/telemetry';
import { readMetrics, startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import { createPrisma } from './prisma.ts';

let postgres: PostgresHandle;
let url: string;
let telemetry: Telemetry;
beforeAll(async () => {
  [postgres, telemetry] = await Promise.all([startPostgres(), startTelemetry({ serviceName: 'spec' })]);
  url = await postgres.createDatabase();
});
afterAll(async () => {
  await telemetry.stop();
  await postgres.stop();
});

async function countTimed(pool: string): Promise<number> {
  const metrics = await readMetrics(telemetry.handleMetrics);
  return metrics.get(`chainwatch_database_statement_seconds_count{pool="${pool}"}`) ?? 0;
}

describe('statements of a pool', () => {
  it.each([true, false])('are timed, each once, whoever sends them (prepared: %s)', async (isPrepared) => {
    const db = createDatabase({ url, applicationName: 'spec', poolSize: 1, isPrepared });
    // What the pool itself asks of its first session.
    await db.query('SELECT 1');
    const before = await countTimed('plain');
    expect((await db.query<{ one: number }>('SELECT $1::int AS one', [1])).rows).toEqual([{ one: 1 }]);
    await db.query({ name: 'spec_named', text: 'SELECT 1' });
    await expect(db.query('SELECT no_such_column')).rejects.toThrow('no_such_column');
    expect((await countTimed('plain')) - before).toBe(3);
    // BEGIN, three, COMMIT.
    await db.transaction(async (sql) => {
      await sql.query('SELECT 2');
      sql.send({ text: 'SELECT 3' });
      await sql.query({ name: 'spec_named', text: 'SELECT 1' });
    });
    expect((await countTimed('plain')) - before).toBe(8);
    const { rows } = await db.query<{ names: number }>(
      'SELECT count(*) AS names FROM pg_prepared_statements',
    );
    expect(rows).toEqual([{ names: isPrepared ? 1 : 0 }]);
    await db.close();
  });

  it('are timed through Prisma, which ends its pool', async () => {
    const prisma = createPrisma(url);
    await prisma.$queryRawUnsafe('SELECT 1');
    expect(await countTimed('prisma')).toBeGreaterThan(0);
    const metrics = await readMetrics(telemetry.handleMetrics);
    expect(metrics.get('chainwatch_database_connections{pool="prisma"}')).toBe(1);
    expect(metrics.get('chainwatch_database_connections_max{pool="prisma"}')).toBe(5);
    await prisma.$disconnect();
    const db = createDatabase({ url, applicationName: 'spec' });
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
    await db.close();
  });
});
