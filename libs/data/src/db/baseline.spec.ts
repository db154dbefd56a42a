// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { MigrationsMissingError } from './migration-errors.ts';

const INITIAL = '20261122200000_initial';
const prismaDir = fileURLToPath(new URL('../../../../prisma', import.meta.url));
const released = readFileSync(new URL('fixtures/release-0.1.sql', import.meta.url), 'utf8');
const { migrations: older } = JSON.parse(
  readFileSync(`${prismaDir}/migrations/${INITIAL}/replaces.json`, 'utf8'),
) as { migrations: string[] };

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A database from before release 0.1.0, whose migrations the initial one stands for. */
describe('a database of an earlier release', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = createDatabase({ url, applicationName: 'baseline-spec' });
    await db.query(released);
    await db.query(
      `CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
       logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`,
    );
    for (const name of older) await record(name);
  });
  afterEach(() => db.close());
  afterAll(() => postgres.stop());

  it('counts as having the initial migration, and becomes what a new one is', async () => {
    const { applied, skipped } = await applyMigrations(url, prismaDir);
    expect(skipped).toEqual([INITIAL]);
    expect(applied).not.toContain(INITIAL);
    const newUrl = await postgres.createDatabase();
    expect((await applyMigrations(newUrl, prismaDir)).applied).toEqual([INITIAL, ...applied]);
    const fresh = createDatabase({ url: newUrl, applicationName: 'baseline-spec' });
    const [upgraded, made] = [await readCatalogue(db), await readCatalogue(fresh)];
    await fresh.close();
    expect(made.length).toBeGreaterThan(600);
    expect(upgraded).toEqual(made);
    expect(await applyMigrations(url, prismaDir)).toEqual({
      applied: [],
      skipped: [INITIAL, ...applied],
      functions: [],
      settings: [],
    });
  });

  it('keeps its rows, whose totals are those that counting gives', async () => {
    await fill();
    await applyMigrations(url, prismaDir);
    const { rows } = await db.query<{ list: string; key: string[]; count: number }>(
      'SELECT list, key, count FROM list_counts ORDER BY list, key',
    );
    expect(rows).toEqual([
      { list: 'address', key: [], count: 2 },
      { list: 'addresses', key: ['external', 'evm', 'evm', 'true', 'false', null], count: 1 },
      { list: 'asset', key: ['eip155:1/slip44:60'], count: 2 },
      { list: 'blocks', key: ['eip155:1', 'confirmed'], count: 1 },
      { list: 'deliveries', key: ['pending', 't'], count: 1 },
      { list: 'transactions', key: ['eip155:1', 'confirmed', 'in'], count: 2 },
      { list: 'usage', key: [id(9), 'eip155:1', 'eth_call'], count: 1 },
    ]);
    // Triggers go on where they were.
    await db.query(`UPDATE transactions SET status = 'reorged', detected_at = '2026-02-01' WHERE id = $1`, [
      id(31),
    ]);
    const after = await db.query(
      `SELECT key[2] AS status, sum(count)::int AS count FROM (TABLE list_counts UNION ALL TABLE list_changes) l WHERE list = 'transactions' GROUP BY 1 ORDER BY 1`,
    );
    expect(after.rows).toEqual([
      { status: 'confirmed', count: 1 },
      { status: 'reorged', count: 1 },
    ]);
    const times = await db.query(
      `SELECT count(*) AS count FROM transaction_addresses WHERE detected_at = '2026-02-01'`,
    );
    expect(times.rows).toEqual([{ count: 1 }]);
  });

  it('serves services of that release while they are replaced: an endpoint that either writes, both read', async () => {
    const insert = 'INSERT INTO blockchains (gid, family, name, short_name, image_url';
    const read = async () =>
      (
        await db.query<{ gid: string; old: string | null; all: object }>(
          `SELECT gid, evm_endpoint_sealed AS old, other_endpoints_sealed AS "all" FROM blockchains ORDER BY gid`,
        )
      ).rows;
    const chain = (gid: string, old: string | null, all: object) => ({ gid, old, all });
    await db.query(`${insert}, evm_endpoint_sealed) VALUES ('t:1', 't', '1', '1', '', 'a')`);
    await applyMigrations(url, prismaDir);
    await db.query(`${insert}, evm_endpoint_sealed) VALUES ('t:2', 't', '2', '2', '', 'b')`);
    await db.query(`${insert}, other_endpoints_sealed) VALUES ('t:3', 't', '3', '3', '', '{"evm":"c"}')`);
    await db.query(`${insert}) VALUES ('t:4', 't', '4', '4', '')`);
    const made = [
      chain('t:1', 'a', { evm: 'a' }),
      chain('t:2', 'b', { evm: 'b' }),
      chain('t:3', 'c', { evm: 'c' }),
      chain('t:4', null, {}),
    ];
    expect(await read()).toEqual(made);
    await db.query(`UPDATE blockchains SET is_active = true, endpoint_sealed = 'x'`);
    expect(await read()).toEqual(made);

    const all = 'other_endpoints_sealed';
    await db.query(`UPDATE blockchains SET ${all} = ${all} || '{"evm":"d","more":"e"}' WHERE gid = 't:1'`);
    await db.query(`UPDATE blockchains SET evm_endpoint_sealed = NULL WHERE gid IN ('t:2', 't:4')`);
    await db.query(`UPDATE blockchains SET ${all} = ${all} - 'evm' WHERE gid = 't:3'`);
    const changed = [
      chain('t:1', 'd', { evm: 'd', more: 'e' }),
      chain('t:2', null, {}),
      chain('t:3', null, {}),
      chain('t:4', null, {}),
    ];
    expect(await read()).toEqual(changed);
    await db.query(`UPDATE blockchains SET evm_endpoint_sealed = 'f' WHERE gid = 't:1'`);
    expect((await read())[0]).toEqual(chain('t:1', 'f', { evm: 'f', more: 'e' }));
  });

  it('is refused when it has not all of them, and is left as it was', async () => {
    const last = older.at(-1)!;
    await db.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [last]);
    const before = await readCatalogue(db);
    await expect(applyMigrations(url, prismaDir)).rejects.toThrow(MigrationsMissingError);
    await expect(applyMigrations(url, prismaDir)).rejects.toThrow(
      `migration ${INITIAL} expected all or none of the older ones that it stands for, and ${last} is missing: upgrade this database through release 0.1.0 first`,
    );
    expect(await readCatalogue(db)).toEqual(before);
  });

  it('is refused when one of them was rolled back', async () => {
    await db.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1`, [
      older[3],
    ]);
    await expect(applyMigrations(url, prismaDir)).rejects.toThrow(`and ${older[3]} is missing`);
  });

  const record = (name: string): Promise<unknown> =>
    db.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, 'x', $2, now(), 1)`,
      [randomUUID(), name],
    );

  /** As writers of that release did, with its triggers. */
  async function fill(): Promise<void> {
    await db.query(`
      INSERT INTO workspaces (id, name) VALUES ('${id(1)}', 'w');
      INSERT INTO projects (id, workspace_id, name) VALUES ('${id(2)}', '${id(1)}', 'p');
      INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ('eip155:1', 'evm', 'n', 's', '');
      INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals, source) VALUES ('eip155:1/slip44:60', 'eip155:1', 'slip44', '60', 'native', 'active', 18, 'registry');
      INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format) VALUES ('${id(4)}', '${id(2)}', 'evm', '0x1', '0x1', 'external', 'evm');
      INSERT INTO blocks (chain_gid, number, hash, status) VALUES ('eip155:1', 1, '0xb', 'confirmed');
      INSERT INTO notification_channels (id, project_id, kind, name, config) VALUES ('${id(5)}', '${id(2)}', 'webhook', 'c', '{}');
      INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ('${id(2)}', '${id(5)}', '${id(8)}', 't', 'pending');
      INSERT INTO events (event_id, project_id, type, sequence, subject_kind, payload) VALUES ('${id(8)}', '${id(2)}', 't', 1, 's', '{}');
      INSERT INTO rpc_usage VALUES ('${id(9)}', '${id(1)}', 'eip155:1', 'eth_call', '2026-01-01', 1, 0, 0, 1, 1)`);
    for (const n of [31, 32]) {
      await db.query(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, required_confirmations) VALUES ('${id(n)}', '${id(2)}', 'eip155:1', '0x${n}', 'confirmed', 'in', 1, 1);
         INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
         SELECT '${id(n)}', i, '${id(2)}', 'eip155:1', 'native', 'eip155:1/slip44:60', 5, '{a}' FROM generate_series(0, 1) AS i;
         INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ('${id(4)}', '${id(n)}')`,
      );
    }
  }
});

/** Every column, index, constraint, function, trigger, setting and extension, one a line. */
async function readCatalogue(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `WITH relations AS (SELECT oid, relname AS name, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'),
     functions AS (
       SELECT oid FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     )
     SELECT line FROM (
       SELECT concat_ws(' ', 'column', r.name, row_number() OVER (PARTITION BY r.oid ORDER BY attnum), attname, format_type(atttypid, atttypmod), collname, attnotnull,
         attidentity, attgenerated, pg_get_expr(adbin, adrelid)) AS line
       FROM relations r JOIN pg_attribute a ON attrelid = r.oid AND attnum > 0 AND NOT attisdropped
         LEFT JOIN pg_attrdef ON adrelid = r.oid AND adnum = attnum LEFT JOIN pg_collation c ON c.oid = attcollation
       UNION ALL SELECT 'index ' || pg_get_indexdef(indexrelid) FROM pg_index JOIN relations r ON r.oid = indrelid
       UNION ALL SELECT concat_ws(' ', 'constraint', r.name, conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c JOIN relations r ON r.oid = conrelid
       UNION ALL SELECT 'function ' || pg_get_functiondef(oid) FROM functions
       UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), tgenabled) FROM pg_trigger t JOIN relations r ON r.oid = tgrelid WHERE NOT tgisinternal
       UNION ALL SELECT concat_ws(' ', 'settings', name, reloptions) FROM relations
       UNION ALL SELECT 'extension ' || extname FROM pg_extension
     ) l ORDER BY line`,
  );
  return rows.map(({ line }) => line);
}
