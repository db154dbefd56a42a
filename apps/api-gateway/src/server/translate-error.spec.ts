// SPDX-License-Identifier: Apache-2.0
import { createDatabase } from '@chainwatch/data/db';
import { createPrisma } from '@chainwatch/data/prisma';
import { findFreePort, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { translateError } from './translate-error.ts';

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

it('says 503 for a database that is away, asked with SQL or through Prisma', async () => {
  const url = `postgres://u:p@127.0.0.1:${await findFreePort()}/x`;
  const db = createDatabase({ url, applicationName: 'spec' });
  const prisma = createPrisma(url);
  try {
    expect(translateError(await failureOf(db.query('SELECT 1')))).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    expect(translateError(await failureOf(prisma.workspace.findFirst()))).toMatchObject({ status: 503 });
  } finally {
    await db.close();
    await prisma.$disconnect();
  }
});

it('says 503 where the server ended a session that was idle in its transaction', async () => {
  const postgres = await startPostgres();
  const db = createDatabase({ url: postgres.url, applicationName: 'spec', poolSize: 2 });
  try {
    const failure = await failureOf(
      db.transaction(async (sql) => {
        const { rows } = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await sql.query(`SET LOCAL idle_in_transaction_session_timeout = '20ms'`);
        await waitFor(async () => {
          const left = await db.query('SELECT FROM pg_stat_activity WHERE pid = $1', [rows[0]!.pid]);
          return left.rowCount === 0;
        });
        await sql.query('SELECT 1');
      }),
    );
    expect(translateError(failure)).toMatchObject({ status: 503 });
  } finally {
    await db.close();
    await postgres.stop();
  }
});

it('says through Prisma what it says of SQL: 503 for a session that was ended, 401 for a project that is gone', async () => {
  const postgres = await startPostgres();
  const db = createDatabase({ url: postgres.url, applicationName: 'spec', poolSize: 3 });
  const prisma = createPrisma(postgres.url);
  try {
    await db.transaction(async (sql) => {
      await sql.query('LOCK TABLE workspaces');
      const failures = Promise.all([
        failureOf(prisma.workspace.findFirst()),
        failureOf(db.query('SELECT FROM workspaces')),
      ]);
      const ended = new Set<number>();
      await waitFor(async () => {
        const { rows } = await db.query<{ pid: number }>(
          "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        for (const { pid } of rows) ended.add(pid);
        return ended.size === 2;
      });
      for (const failure of await failures) expect(translateError(failure)).toMatchObject({ status: 503 });
    });
    const projectId = '00000000-0000-4000-8000-000000000000';
    const failures = [
      await failureOf(
        prisma.notificationChannel.create({ data: { projectId, kind: 'nats', name: 'x', config: {} } }),
      ),
      await failureOf(
        db.query(
          "INSERT INTO notification_channels (id, project_id, kind, name, config) VALUES (gen_random_uuid(), $1, 'nats', 'x', '{}')",
          [projectId],
        ),
      ),
    ];
    for (const failure of failures) expect(translateError(failure)).toMatchObject({ status: 401 });
  } finally {
    await prisma.$disconnect();
    await db.close();
    await postgres.stop();
  }
});

it.each([
  new Error('anything'),
  new TypeError('x is not a function'),
  Object.assign(new Error('syntax error'), { code: '42601' }),
  'text',
  undefined,
])('leaves %p to be a 500', (error) => {
  expect(translateError(error)).toBeUndefined();
});
