// SPDX-License-Identifier: Apache-2.0
import { createDatabase, type Database } from '../db/index.ts';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '../testing/index.ts';
import { allocateSequences } from './event-rows.ts';

let postgres: PostgresHandle;
let db: Database;
let projects: string[];

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, name FROM w, unnest(ARRAY['p', 'q']) AS name RETURNING id`,
  );
  projects = rows.map((row) => row.id);
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

it('numbers the events of each project and chain without a hole, in their order', async () => {
  const [one, two] = projects as [string, string];
  expect(await allocateSequences(db, 'eip155:1', [one, two, one])).toEqual([1, 1, 2]);
  expect(await allocateSequences(db, 'eip155:1', [two, one])).toEqual([2, 3]);
  expect(await allocateSequences(db, 'eip155:10', [one])).toEqual([1]);
  expect(await allocateSequences(db, 'eip155:1', [])).toEqual([]);
});

it('gives back what was taken in a transaction that failed', async () => {
  const [one] = projects as [string];
  const failing = db.transaction(async (sql) => {
    expect(await allocateSequences(sql, 'eip155:5', [one, one])).toEqual([1, 2]);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await allocateSequences(db, 'eip155:5', [one])).toEqual([1]);
});

it('never hands one out twice, however many take at once', async () => {
  const [one, two] = projects as [string, string];
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      db.transaction((sql) => allocateSequences(sql, 'eip155:7', index % 2 === 0 ? [one, two] : [two, one])),
    ),
  );
  const ofOne = taken.map((sequences, index) => sequences[index % 2]!).sort((a, b) => a - b);
  expect(ofOne).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});
