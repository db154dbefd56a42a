// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { findPrismaDir } from './wait-for-schema.ts';
import { applyMigrations } from './migrate.ts';

const MIGRATION = readFileSync(
  join(findPrismaDir(), 'migrations/20261123200000_positions_of_projects/migration.sql'),
  'utf8',
);

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres({ migrate: applyMigrations });
  db = createDatabase({ url: postgres.url, applicationName: 'positions-spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

async function addProjects(names: readonly string[]): Promise<void> {
  await db.query(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id)
     INSERT INTO projects (workspace_id, name) SELECT w.id, n FROM w, unnest($1::text[]) n`,
    [names],
  );
}

const readRows = async (): Promise<unknown[]> =>
  (
    await db.query(
      `SELECT p.name, r.last_position AS last, CASE r.history WHEN position_history() THEN 'this one' ELSE r.history END AS past
       FROM projects p LEFT JOIN project_positions r ON r.project_id = p.id ORDER BY p.name`,
    )
  ).rows;

it('a project names its past from its beginning, those of before do after the migration', async () => {
  await addProjects(['a', 'b', 'c']);
  const begun = ['a', 'b', 'c'].map((name) => ({ name, last: 0, past: 'this one' }));
  expect(await readRows()).toEqual(begun);
  const set = (name: string, history: string): Promise<unknown> =>
    db.query(
      'UPDATE project_positions SET last_position = 7, history = $2 WHERE project_id = (SELECT id FROM projects WHERE name = $1)',
      [name, history],
    );
  // As the release before left them: its migration knew no past, and who had no event had no row.
  await set('a', '');
  await set('b', 'another server');
  await db.query(
    `DELETE FROM project_positions WHERE project_id = (SELECT id FROM projects WHERE name = 'c')`,
  );
  await db.query(`BEGIN; ${MIGRATION}; COMMIT`);
  expect(await readRows()).toEqual([
    { name: 'a', last: 7, past: 'this one' },
    { name: 'b', last: 7, past: 'another server' },
    { name: 'c', last: 0, past: 'this one' },
  ]);
});
