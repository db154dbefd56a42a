// SPDX-License-Identifier: Apache-2.0
import type { PostgresHandle } from '@chainwatch/testing';
import { lendDatabase } from './lend-database.ts';
import { startPostgres } from './start-postgres.ts';

let postgres: PostgresHandle;
beforeEach(async () => {
  postgres = await startPostgres();
});
afterEach(() => postgres.stop());

const INSERT = `INSERT INTO workspaces (name) VALUES ('w')`;

it('lends a database again, empty, with sequences from the start and the time-outs of the role', async () => {
  const first = await lendDatabase(postgres);
  await first.db.query(INSERT);
  const next = `SELECT nextval('blocks_id_seq') AS id`;
  expect((await first.db.query(next)).rows).toEqual([{ id: 1 }]);
  await first.giveBack();
  const second = await lendDatabase(postgres);
  expect(second.url).toBe(first.url);
  expect((await second.db.query('SELECT FROM workspaces')).rowCount).toBe(0);
  expect((await second.db.query(next)).rows).toEqual([{ id: 1 }]);
  expect((await second.db.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }]);
});

it('refuses whoever gave it back, and goes on for who has it now', async () => {
  const first = await lendDatabase(postgres);
  await first.giveBack();
  const second = await lendDatabase(postgres);
  await expect(first.db.query(INSERT)).rejects.toThrow('given back');
  await expect(first.db.transaction(async (sql) => sql.query(INSERT))).rejects.toThrow('given back');
  await second.db.query(INSERT);
  expect((await second.db.query('SELECT FROM workspaces')).rowCount).toBe(1);
});

it.each([
  ['a column of another type', 'ALTER TABLE transfers ALTER COLUMN amount_raw TYPE text'],
  ['a function', 'CREATE FUNCTION refuse() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$'],
])('lends another one after a test that made %s', async (_, change) => {
  const first = await lendDatabase(postgres);
  await first.db.query(change);
  await first.giveBack();
  expect((await lendDatabase(postgres)).url).not.toBe(first.url);
});

it('lends another one after a test that left a transaction open', async () => {
  const first = await lendDatabase(postgres);
  const session = await first.db.pool.connect();
  await session.query('BEGIN');
  const given = first.giveBack();
  expect((await lendDatabase(postgres)).url).not.toBe(first.url);
  session.release(true);
  await given;
});
