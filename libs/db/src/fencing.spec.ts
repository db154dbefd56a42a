import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { startPostgres, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { FencedError, lockWithToken, raiseToken } from './fencing.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

const GID = 'eip155:31337';

describe('sessions', () => {
  let postgres: PostgresHandle;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
  });
  afterAll(() => postgres.stop());

  const NAMES = [
    'idle_in_transaction_session_timeout',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_keepalives_count',
    'tcp_user_timeout',
    'statement_timeout',
  ];
  const EXPECTED = ['5s', '4', '2', '2', '8000', '30s'];
  const SHOWN = `SELECT array(SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, position) ORDER BY position) AS settings`;

  it.each([false, true])(
    'of a pool are given up by the server within 10 s when nobody answers (keepsPlans %s)',
    async (keepsPlans) => {
      const db = createDatabase({ url: postgres.url, applicationName: 'spec', keepsPlans });
      const { rows } = await db.query<{ settings: string[] }>(SHOWN, [NAMES]);
      expect(rows[0]!.settings).toEqual(EXPECTED);
      await db.close();
    },
  );

  it("of Prisma's pool as well", async () => {
    const prisma = createPrisma(postgres.url);
    const rows = await prisma.$queryRawUnsafe<{ settings: string[] }[]>(SHOWN, NAMES);
    expect(rows[0]!.settings).toEqual(EXPECTED);
    await prisma.$disconnect();
  });
});

describe('raiseToken', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    db = createDatabase({ url: postgres.url, applicationName: 'new-owner' });
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'evm', 'a', 'a', '', true)`,
      [GID],
    );
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  /** A session without our time-outs, so that nothing but the taker ends it. */
  async function open(): Promise<{ client: pg.Client; ended: () => boolean }> {
    const client = new pg.Client({ connectionString: postgres.url });
    let isEnded = false;
    client.on('error', () => undefined);
    client.on('end', () => (isEnded = true));
    await client.connect();
    return { client, ended: () => isEnded };
  }

  it('ends an owner that stopped inside of a transaction, which then writes nothing', async () => {
    const token = await raiseToken(db, 'analyzer_states', GID, 'old');
    const { client, ended } = await open();
    await client.query('BEGIN');
    await lockWithToken(client, 'analyzer_states', GID, token);
    await client.query(`UPDATE analyzer_states SET cursor_number = 7 WHERE chain_gid = $1`, [GID]);
    expect(await raiseToken(db, 'analyzer_states', GID, 'new')).toBe(token + 1);
    await waitFor(() => ended());
    expect((await db.query('SELECT owner, cursor_number FROM analyzer_states')).rows).toEqual([
      { owner: 'new', cursor_number: null },
    ]);
    const late = createDatabase({ url: postgres.url, applicationName: 'old-owner' });
    await expect(
      late.transaction((sql) => lockWithToken(sql, 'analyzer_states', GID, token)),
    ).rejects.toThrow(FencedError);
    await late.close();
  });

  it('ends the one that holds the row, not those who wait for it as well', async () => {
    const token = await raiseToken(db, 'analyzer_states', GID, 'old');
    const holder = await open();
    await holder.client.query('BEGIN');
    await lockWithToken(holder.client, 'analyzer_states', GID, token);
    const { client: waiting, ended } = await open();
    const waited = waiting.query(`UPDATE analyzer_states SET reason = 'waited' WHERE chain_gid = $1`, [GID]);
    await waitFor(
      async () =>
        (
          await db.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%waited%' AND pid <> pg_backend_pid()`,
          )
        ).rowCount === 1,
    );
    expect(await raiseToken(db, 'analyzer_states', GID, 'new')).toBe(token + 1);
    await waited;
    expect([holder.ended(), ended()]).toEqual([true, false]);
    await waiting.end();
  });

  it('ends it too while it waits for somebody else, who goes on', async () => {
    const token = await raiseToken(db, 'analyzer_states', GID, 'old');
    const [innocent, holder] = [await open(), await open()];
    await innocent.client.query('BEGIN');
    await innocent.client.query('SELECT 1 FROM blockchains FOR UPDATE');
    await holder.client.query('BEGIN');
    await lockWithToken(holder.client, 'analyzer_states', GID, token);
    const failed = holder.client.query(`UPDATE blockchains SET name = 'b'`).catch(() => 'ended');
    expect(await raiseToken(db, 'analyzer_states', GID, 'new')).toBe(token + 1);
    expect([await failed, holder.ended(), innocent.ended()]).toEqual(['ended', true, false]);
    await innocent.client.query('COMMIT');
    await innocent.client.end();
  });

  it('ends no session of another role', async () => {
    const token = await raiseToken(db, 'analyzer_states', GID, 'old');
    await db.query(`CREATE ROLE stranger LOGIN SUPERUSER PASSWORD 'stranger'`);
    const url = new URL(postgres.url);
    url.username = 'stranger';
    url.password = 'stranger';
    const stranger = new pg.Client({ connectionString: url.href });
    await stranger.connect();
    await stranger.query('BEGIN');
    await lockWithToken(stranger, 'analyzer_states', GID, token);
    await expect(raiseToken(db, 'analyzer_states', GID, 'new')).rejects.toMatchObject({ code: '55P03' });
    await stranger.query('ROLLBACK');
    expect(await raiseToken(db, 'analyzer_states', GID, 'new')).toBe(token + 1);
    await stranger.end();
    await db.query('DROP ROLE stranger');
  });

  it('ends a process that was stopped (SIGSTOP) inside of a transaction', async () => {
    const token = await raiseToken(db, 'analyzer_states', GID, 'old');
    const code = `import pg from 'pg';
      const client = new pg.Client({ connectionString: process.env.URL });
      client.on('error', () => process.exit(3));
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM analyzer_states WHERE chain_gid = $1 AND token = $2 FOR UPDATE', ['${GID}', ${token}]);
      console.log('locked');
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, NODE_OPTIONS: '', URL: postgres.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    expect(await raiseToken(db, 'analyzer_states', GID, 'new')).toBe(token + 1);
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    expect(await gone).toEqual([3, null]);
  });
});
