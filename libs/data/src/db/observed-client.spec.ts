// SPDX-License-Identifier: Apache-2.0
import { startTelemetry, withSpan, type Telemetry } from '@chainwatch/platform/telemetry';
import { readMetrics, startPostgres, startTraceCollector, type PostgresHandle } from '@chainwatch/testing';
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

describe('spans of statements', () => {
  it('belong to who asked, also for who waits for a session of another, and tell no value', async () => {
    const collector = await startTraceCollector();
    const traced = await startTelemetry({ serviceName: 'spec', endpoint: collector.url });
    const db = createDatabase({ url, applicationName: 'spec', poolSize: 1 });
    const prisma = createPrisma(url, { poolSize: 1 });
    const outside = db.query('SELECT pg_sleep(0)');
    const ask = (name: string, work: () => Promise<unknown>): Promise<unknown> => withSpan(name, {}, work);
    await Promise.all([
      outside,
      ...['a', 'b', 'c'].map((name) =>
        ask(name, () =>
          db.query({ name: `of_${name}`, text: 'SELECT $1::text', values: [`secret ${name}`] }),
        ),
      ),
      ...['d', 'e'].map((name) => ask(name, () => prisma.$queryRawUnsafe('SELECT 1 AS n'))),
      ask('f', () => db.transaction((sql) => sql.query('SELECT no_such_column'))).catch(() => undefined),
    ]);
    await Promise.all([db.close(), prisma.$disconnect(), traced.stop()]);
    collector.stop();
    const { spans } = collector;
    const childrenOf = (name: string) => {
      const parent = spans.find((span) => span.name === name);
      return spans.filter((span) => span.parentSpanId === parent!.spanId);
    };
    for (const name of ['a', 'b', 'c'])
      expect(childrenOf(name)).toMatchObject([
        {
          ...{ name: `of_${name}`, kind: 'client', isFailed: false },
          attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT' },
        },
      ]);
    for (const name of ['d', 'e']) expect(childrenOf(name).map((span) => span.name)).toContain('SELECT');
    expect(childrenOf('f').filter(({ isFailed }) => isFailed)).toMatchObject([
      { name: 'SELECT', attributes: { 'error.type': '42703' } },
    ]);
    // What nobody asked for within a trace is none.
    expect(
      spans
        .filter(({ parentSpanId }) => parentSpanId === undefined)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...'abcdef']);
    expect(JSON.stringify(spans)).not.toMatch(/secret|no_such_column/);
  });
});
