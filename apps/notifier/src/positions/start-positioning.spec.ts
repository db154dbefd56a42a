// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { startPositioning } from './start-positioning.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const timing = { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 };

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

async function addProject(firstByte: number): Promise<string> {
  const id = `${firstByte.toString(16).padStart(2, '0')}${randomUUID().slice(2)}`;
  await db.query(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (id, workspace_id, name) SELECT $1, id, 'p' FROM w`,
    [id],
  );
  return id;
}

const insert = (projectIds: readonly string[], count: number): Promise<unknown> =>
  db.query(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload)
     SELECT gen_random_uuid(), p, 'transaction.detected', 1, 'tx.detected', '{}' FROM generate_series(1, $2), unnest($1::uuid[]) p`,
    [projectIds, count],
  );

const countPositioned = async (): Promise<number> =>
  (await db.query<{ count: number }>('SELECT count(*) AS count FROM event_positions')).rows[0]!.count;

const countShares = async (): Promise<string> =>
  (
    await db.query<{ count: number }>(
      `SELECT count(*) AS count FROM share_leases WHERE kind = 'positions' AND lease_until > clock_timestamp() GROUP BY owner`,
    )
  ).rows
    .map(({ count }) => count)
    .join();

test('every project has one owner, and the positions of a project go on when it moves', async () => {
  const projectIds = await Promise.all(
    Array.from({ length: 64 }, (_, share) => addProject((share << 2) + 3)),
  );
  const stops = [startPositioning({ db, planned: db, logger, timing })];
  await insert(projectIds, 20);
  await waitFor(async () => (await countPositioned()) === 64 * 20);
  stops.push(startPositioning({ db, planned: db, logger, timing }));
  await waitFor(async () => (await countShares()) === '32,32');
  await insert(projectIds, 20);
  await waitFor(async () => (await countPositioned()) === 64 * 40);
  await stops.shift()!();
  await insert(projectIds, 20);
  await waitFor(async () => (await countPositioned()) === 64 * 60);
  const { rows } = await db.query(
    `SELECT count(*) AS count, min(position) AS first, max(position) AS last FROM event_positions GROUP BY project_id`,
  );
  expect(rows).toEqual(projectIds.map(() => ({ count: 60, first: 1, last: 60 })));
  await stops[0]!();
});

test('goes on with a backlog without a pause, and with the other shares beside it', async () => {
  const [busy, quiet] = (await Promise.all([addProject(0), addProject(255)])) as [string, string];
  await insert([busy], 5_500);
  await insert([quiet], 1);
  const before = await countPositioned();
  const stop = startPositioning({ db, planned: db, logger, timing });
  await waitFor(async () => (await countPositioned()) === before + 5_501);
  await stop();
});
