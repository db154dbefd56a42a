// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, waitFor } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const MIGRATION = '20261123124000_events_by_day';
const source = fileURLToPath(new URL('../../../../prisma', import.meta.url));
const logged = 'event_id, project_id, type, sequence, subject_kind, payload';

/** What a service of the release before writes. */
const OLD_INSERT = `INSERT INTO events (${logged}) SELECT unnest($1::uuid[]), $2, 'transaction.detected', 1, 'tx.detected', '{}' ON CONFLICT (event_id) DO NOTHING RETURNING id`;
const NEW_INSERT = `INSERT INTO event_log (${logged}) SELECT e, $2, 'transaction.detected', 1, 'tx.detected', '{}' FROM unnest($1::uuid[]) e
  WHERE (SELECT true FROM event_keys k WHERE k.event_id = e) IS NULL ON CONFLICT DO NOTHING RETURNING id`;
/** A statement on it would not see the days behind it. */
const NAMED = /\b(FROM|INTO|UPDATE|JOIN)\s+events\b(?! (of|were)\b)/;
const OF_FIRST_PARTITION = [
  'apps/notifier/src/retention/start-retention.spec.ts',
  'apps/notifier/src/retention/start-retention.ts',
  'libs/data/src/db/baseline.spec.ts',
  'libs/data/src/db/events-by-day.spec.ts',
  // The table of an example, in SQLite.
  'tools/acceptance/src/local-stack/local-stack.spec.ts',
];
const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

describe('events by day', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let url: string;
  let projectId: string;
  let before: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    before = mkdtempSync(join(tmpdir(), 'prisma-'));
    cpSync(source, before, { recursive: true });
    for (const name of readdirSync(join(before, 'migrations')))
      if (name >= MIGRATION) rmSync(join(before, 'migrations', name), { recursive: true });
    // Functions as the release before had them, as far as they name these tables.
    for (const name of [
      'event_keys',
      'event_partitions',
      'queue_events',
      'block_runs',
      'rebuild_list_counts',
    ])
      rmSync(join(before, 'sql', `${name}.sql`));
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = createDatabase({ url, applicationName: 'events-spec' });
    await applyMigrations(url, before);
    await db.query(OLD_TRIGGER);
    const { rows } = await db.query<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id)
       INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
    );
    projectId = rows[0]!.id;
  });
  afterEach(() => db.close());
  afterAll(async () => {
    rmSync(before, { recursive: true });
    await postgres.stop();
  });

  const idsOf = async (table: string): Promise<string[]> =>
    (await db.query<{ event_id: string }>(`SELECT event_id FROM ${table} ORDER BY event_id`)).rows.map(
      (row) => row.event_id,
    );

  const beginDay = (): Promise<unknown> =>
    db.query('SELECT add_event_partition(), begin_event_partition(now())');

  async function expectKeys(written: readonly string[]): Promise<void> {
    expect(await idsOf('event_keys')).toEqual([...written].sort());
    const { rows } = await db.query(
      'SELECT count(*) AS count FROM event_keys k JOIN event_log e ON e.event_id = k.event_id AND e.id = k.row_id',
    );
    expect(rows).toEqual([{ count: written.length }]);
  }

  it('takes the table with its rows as the first partition, in place, while both releases write', async () => {
    const old = ids(500);
    await db.query(OLD_INSERT, [old, projectId]);
    const listFiles = async (): Promise<unknown[]> =>
      (
        await db.query(
          `SELECT relname, pg_relation_filenode(oid) AS node FROM pg_class
           WHERE oid = 'events'::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'events'::regclass) ORDER BY relname`,
        )
      ).rows;
    const files = await listFiles();
    let isDone = false;
    const written = [...old];
    const writing = (async () => {
      while (!isDone) {
        const some = ids(5);
        await db.transaction(async (sql) => {
          // As with a transaction of the project, which is written first.
          await sql.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId]);
          await sql.query(OLD_INSERT, [some, projectId]);
        });
        written.push(...some);
      }
    })();
    await applyMigrations(url, source);
    isDone = true;
    await writing;
    // No index was made or written anew.
    expect(await listFiles()).toEqual(files);

    const [byOld, byNew, both] = [ids(3), ids(3), ids(3)];
    await db.query(OLD_INSERT, [[...byOld, ...both], projectId]);
    await db.query(NEW_INSERT, [[...byNew, ...both], projectId]);
    expect((await db.query(OLD_INSERT, [[...byNew, ...both], projectId])).rowCount).toBe(0);
    expect((await db.query(NEW_INSERT, [[...old, ...byOld], projectId])).rowCount).toBe(0);
    const all = [...written, ...byOld, ...byNew, ...both].sort();
    // Each release sees what the other one wrote.
    for (const table of ['events', 'event_log', 'event_keys']) expect(await idsOf(table)).toEqual(all);
    const { rows } = await db.query(
      'SELECT count(*) AS count FROM event_log e JOIN event_keys k ON k.event_id = e.event_id AND k.row_id = e.id JOIN undispatched_events u ON u.event_row_id = e.id',
    );
    expect(rows).toEqual([{ count: all.length }]);
  });

  it('goes on with the row ids behind those that were given, and later days have ids above them', async () => {
    await db.query(OLD_INSERT, [ids(10), projectId]);
    await db.query('DELETE FROM events WHERE id > 5');
    await applyMigrations(url, source);
    const insert = async (): Promise<number> =>
      (await db.query<{ id: number }>(NEW_INSERT, [ids(1), projectId])).rows[0]!.id;
    expect(await insert()).toBe(11);
    await beginDay();
    expect(await insert()).toBe(2 ** 32);
    expect(await insert()).toBe(2 ** 32 + 1);
  });

  it('gives keys to what is written before, whoever is still writing, also where an earlier run stopped', async () => {
    const parts = readFileSync(join(source, 'migrations', MIGRATION, 'before.sql'), 'utf8').split(
      '-- next transaction',
    );
    const written = ids(5);
    await db.query(OLD_INSERT, [[written[0]], projectId]);
    const { commit, committed, isInserted, inserted } = makeGates();
    const writing = db.transaction(async (sql) => {
      await sql.query(OLD_INSERT, [[written[1]], projectId]);
      isInserted();
      await committed;
    });
    await inserted;
    const beginning = db.query(parts[0]!);
    await waitFor(
      async () =>
        (
          await db.query(
            `SELECT FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).rowCount === 1,
    );
    commit();
    await writing;
    await beginning;
    await db.query(OLD_INSERT, [[written[2]], projectId]);
    for (const part of [...parts, parts[0]!]) {
      await db.query(part);
      // Made anew after it was removed.
      await db.query('DELETE FROM events WHERE event_id = $1', [written[2]]);
      await db.query(OLD_INSERT, [[written[2]], projectId]);
    }
    await db.query(OLD_INSERT, [[written[3]], projectId]);
    await applyMigrations(url, source);
    await db.query(OLD_INSERT, [[written[4]], projectId]);
    // Of a process that found the migration pending a moment before.
    for (const part of parts) await db.query(part);
    expect((await db.query(OLD_INSERT, [written, projectId])).rowCount).toBe(0);
    await expectKeys(written);
    const { rows } = await db.query(
      `SELECT convalidated FROM pg_constraint WHERE conname = 'events_first_partition'`,
    );
    expect(rows).toEqual([{ convalidated: true }]);
  });

  it('needs no before.sql, which other tools do not know', async () => {
    const written = ids(10);
    await db.query(OLD_INSERT, [written, projectId]);
    const other = mkdtempSync(join(tmpdir(), 'prisma-'));
    cpSync(source, other, { recursive: true });
    rmSync(join(other, 'migrations', MIGRATION, 'before.sql'));
    await applyMigrations(url, other);
    rmSync(other, { recursive: true });
    await expectKeys(written);
  });

  it('keeps the keys of what services write after a rollback that put their function back', async () => {
    await applyMigrations(url, source);
    await db.query(OLD_FUNCTION);
    const written = ids(3);
    await db.query(OLD_INSERT, [written, projectId]);
    await expectKeys(written);
  });

  it('lets no event in of a project that is not there, and no deleter of the project overtake one', async () => {
    await applyMigrations(url, source);
    await beginDay();
    await expect(db.query(NEW_INSERT, [ids(2), randomUUID()])).rejects.toMatchObject({ code: '23503' });
    expect(await idsOf('event_keys')).toEqual([]);
    const { commit, committed, isInserted, inserted } = makeGates();
    const writing = db.transaction(async (sql) => {
      await sql.query(NEW_INSERT, [ids(1), projectId]);
      isInserted();
      await committed;
    });
    await inserted;
    await expect(
      db.transaction(async (sql) => {
        await sql.query(`SET LOCAL lock_timeout = '100ms'`);
        await sql.query('DELETE FROM projects WHERE id = $1', [projectId]);
      }),
    ).rejects.toMatchObject({ code: '55P03' });
    commit();
    await writing;
  });

  it('is read and written as event_log: only its first partition has the old name', () => {
    const named = ['apps', 'libs', 'tools', 'prisma/sql'].flatMap((folder) =>
      readdirSync(join(source, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|mjs|sql)$/.test(file) && !/node_modules|generated|fixtures/.test(file))
        .map((file) => join(folder, file))
        .filter((file) => NAMED.test(readFileSync(join(source, '..', file), 'utf8'))),
    );
    expect(named.sort()).toEqual(OF_FIRST_PARTITION);
  });

  it('finds a row by its event id in one partition of many, by indexes alone', async () => {
    await applyMigrations(url, source);
    for (let day = 0; day < 33; day += 1) await beginDay();
    const known = ids(100);
    await db.query(NEW_INSERT, [known, projectId]);
    await db.query('ANALYZE event_log, event_keys');
    // As connections do that keep plans.
    const { rows } = await db.transaction(async (sql) => {
      await sql.query('SET LOCAL enable_seqscan = off');
      return sql.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT e.* FROM event_keys k
         CROSS JOIN LATERAL (SELECT id, payload FROM event_log WHERE id = k.row_id AND NOT is_held OFFSET 0) e
         WHERE k.event_id = $1`,
        [known[50]],
      );
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Scan using event_keys_pkey/);
    const ran = plan
      .split('\n')
      .filter((line) => / on (events|event_log_\d+) /.test(line) && !line.includes('never executed'));
    expect(ran).toEqual([expect.stringContaining('Index Scan using event_log_33_pkey')]);
  });
});

const OLD_FUNCTION = `
  CREATE OR REPLACE FUNCTION queue_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN INSERT INTO undispatched_events SELECT id FROM new_rows; END IF;
    RETURN NULL;
  END $$`;
const OLD_TRIGGER = `${OLD_FUNCTION};
  CREATE TRIGGER events_queue_insert AFTER INSERT ON events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_events()`;

/** A writer that has inserted, and waits until it may commit. */
function makeGates() {
  let commit!: () => void;
  let isInserted!: () => void;
  const committed = new Promise<void>((resolve) => (commit = resolve));
  const inserted = new Promise<void>((resolve) => (isInserted = resolve));
  return { committed, commit, inserted, isInserted };
}
