// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import { startPostgres } from './index.ts';

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  it('makes databases with the schema that do not see each other', async () => {
    const postgres = await startPostgres({ isDurable: false });
    const other = await postgres.createDatabase();
    await query(postgres.url, `INSERT INTO workspaces (name) VALUES ('one')`);
    expect(await query(postgres.url, 'SELECT name FROM workspaces')).toEqual([{ name: 'one' }]);
    expect(await query(other, 'SELECT name FROM workspaces')).toEqual([]);
    await postgres.stop();
  });

  it('keeps what was committed over a crash', async () => {
    const postgres = await startPostgres({ isOwn: true });
    await query(postgres.url, `INSERT INTO workspaces (name) VALUES ('kept')`);
    await postgres.server?.crash();
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow();
    await postgres.server?.restart();
    expect(await query(postgres.url, 'SELECT name FROM workspaces')).toEqual([{ name: 'kept' }]);
    await postgres.stop();
  });
});
