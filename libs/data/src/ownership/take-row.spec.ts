// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { createDatabase, type Database, type Sql } from '../db/index.ts';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '../testing/index.ts';
import { renewStatement, takeShare } from './owned-share.ts';

const NAME = { kind: 'spec', share: 'one' };
const OWNERS = { old: randomUUID(), new: randomUUID() };

describe('a take-over', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    db = createDatabase({ url: postgres.url, applicationName: 'new-owner' });
    await db.query('CREATE TABLE written (what TEXT)');
    await db.query(`INSERT INTO written VALUES ('before')`);
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  /** The lease of whoever owned it is over, but for the row that is held. */
  async function takeBy(name: keyof typeof OWNERS): Promise<number> {
    const taken = await takeShare(db, NAME, OWNERS[name]);
    taken!.end();
    if (name === 'old') await db.query('UPDATE owners SET lease_until = clock_timestamp()');
    return taken!.token;
  }

  async function renew(sql: Sql, token: number): Promise<boolean> {
    return (await sql.query(renewStatement({ ...NAME, owner: OWNERS.old, token }))).rowCount === 1;
  }

  afterEach(() => db.query('DELETE FROM owners'));

  /** A session without our time-outs, so that nothing but the taker ends it. */
  async function open(): Promise<{ client: pg.Client; ended: () => boolean }> {
    const client = new pg.Client({ connectionString: postgres.url });
    let isEnded = false;
    client.on('error', () => undefined);
    client.on('end', () => (isEnded = true));
    await client.connect();
    await client.query('SET idle_in_transaction_session_timeout = 0');
    return { client, ended: () => isEnded };
  }

  it('ends an owner that stopped inside of a transaction, which then writes nothing', async () => {
    const token = await takeBy('old');
    const { client, ended } = await open();
    await client.query('BEGIN');
    await renew(client, token);
    await client.query(`UPDATE written SET what = 'by the old one'`);
    expect(await takeBy('new')).toBe(token + 1);
    await waitFor(() => ended());
    expect((await db.query('SELECT what FROM written')).rows).toEqual([{ what: 'before' }]);
    expect(await renew(db, token)).toBe(false);
  });

  it('ends the one that holds the row, not those who wait for it as well', async () => {
    const token = await takeBy('old');
    const holder = await open();
    await holder.client.query('BEGIN');
    await renew(holder.client, token);
    const { client: waiting, ended } = await open();
    const waited = waiting.query(`UPDATE owners SET lease_until = lease_until WHERE 'waited' <> share`);
    await waitFor(
      async () =>
        (
          await db.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%waited%' AND pid <> pg_backend_pid()`,
          )
        ).rowCount === 1,
    );
    expect(await takeBy('new')).toBe(token + 1);
    await waited;
    await waitFor(() => holder.ended());
    expect(ended()).toBe(false);
    await waiting.end();
  });

  it('ends it too while it waits for somebody else, who goes on', async () => {
    const token = await takeBy('old');
    const [innocent, holder] = [await open(), await open()];
    await innocent.client.query('BEGIN');
    await innocent.client.query('SELECT 1 FROM written FOR UPDATE');
    await holder.client.query('BEGIN');
    await renew(holder.client, token);
    const failed = holder.client.query(`UPDATE written SET what = 'b'`).catch(() => 'ended');
    expect(await takeBy('new')).toBe(token + 1);
    expect(await failed).toBe('ended');
    await waitFor(() => holder.ended());
    expect(innocent.ended()).toBe(false);
    await innocent.client.query('COMMIT');
    await innocent.client.end();
  });

  it('ends no session of another role', async () => {
    const token = await takeBy('old');
    await db.query(`CREATE ROLE stranger LOGIN SUPERUSER PASSWORD 'stranger'`);
    const url = new URL(postgres.url);
    url.username = 'stranger';
    url.password = 'stranger';
    const stranger = new pg.Client({ connectionString: url.href });
    await stranger.connect();
    await stranger.query('BEGIN');
    await renew(stranger, token);
    await expect(takeBy('new')).rejects.toMatchObject({ code: '55P03' });
    await stranger.query('ROLLBACK');
    expect(await takeBy('new')).toBe(token + 1);
    await stranger.end();
    await db.query('DROP ROLE stranger');
  });

  it('ends a process that was stopped (SIGSTOP) inside of a transaction', async () => {
    const token = await takeBy('old');
    const code = `import pg from 'pg';
      const client = new pg.Client({ connectionString: process.env.URL });
      client.on('error', () => process.exit(3));
      await client.connect();
      await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
      await client.query('SELECT 1 FROM owners WHERE token = $1 FOR UPDATE', [${token}]);
      console.log('locked');
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, NODE_OPTIONS: '', URL: postgres.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    expect(await takeBy('new')).toBe(token + 1);
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    expect(await gone).toEqual([3, null]);
  });
});
