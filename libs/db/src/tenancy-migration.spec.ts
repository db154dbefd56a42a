import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const migrations = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const FIRST = '20261122191000_tenancy';

/** An installation as it was before workspaces were told apart, upgraded. */
describe('the migrations of tenancy', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let url: string;
  let dir: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = createDatabase({ url, applicationName: 'tenancy-migration-spec' });
    dir = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const name of readdirSync(migrations).filter((entry) => entry < FIRST))
      cpSync(join(migrations, name), join(dir, name), { recursive: true });
    await applyMigrations(url, dir);
  });
  afterEach(async () => {
    await db.close();
    rmSync(dir, { recursive: true });
  });
  afterAll(() => postgres.stop());

  const upgrade = async (): Promise<void> => void (await applyMigrations(url, migrations));

  it('make the oldest workspace the one that acts for the installation', async () => {
    await db.query(
      `INSERT INTO workspaces (name, created_at) VALUES ('second', '2026-01-02'), ('first', '2026-01-01'), ('third', '2026-01-03')`,
    );
    await upgrade();
    expect((await db.query('SELECT name, is_operator FROM workspaces ORDER BY name')).rows).toEqual([
      { name: 'first', is_operator: true },
      { name: 'second', is_operator: false },
      { name: 'third', is_operator: false },
    ]);
  });

  it('give projects the assets that their transactions moved or their addresses hold, with their own times; what nobody claims to the operator', async () => {
    await fillBefore();
    await upgrade();
    const { rows } = await db.query<{ project: string; asset: string }>(
      `SELECT p.name AS project, split_part(x.asset_gid, ':', 3) AS asset, x.status, x.archived_at IS NOT NULL AS is_archived, to_char(x.created_at AT TIME ZONE 'UTC', 'MM-DD') AS since, x.namespace, x.type, x.symbol
       FROM project_assets x JOIN projects p ON p.id = x.project_id ORDER BY 1, 2`,
    );
    const row = (project: string, asset: string, since: string, more: object = {}) => ({
      project,
      asset,
      status: 'active',
      is_archived: false,
      since,
      namespace: 'erc20',
      type: 'fungible',
      symbol: `S${asset}`,
      ...more,
    });
    const archived = { status: 'invalid', is_archived: true };
    expect(rows).toEqual([
      // Archived for all before, so for each project now; the coin of chain 2 was not.
      row('operator', '60', '01-01', { ...archived, namespace: 'slip44', type: 'native' }),
      row('operator', 'archived', '01-06', archived),
      row('operator', 'created', '01-09'),
      row('operator', 'held', '02-01'),
      row('operator', 'moved', '01-05'),
      row('tenant', '60', '01-02', { ...archived, namespace: 'slip44', type: 'native' }),
      row('tenant', 'moved', '01-06'),
      row('tenant', 'restored', '01-07'),
      row('tenant', 'strange', '01-08', { status: 'unknown' }),
    ]);
    const { rows: assets } = await db.query(
      `SELECT split_part(gid, ':', 3) AS asset, status FROM assets WHERE type = 'fungible' ORDER BY 1`,
    );
    expect(assets.map(({ asset, status }) => `${asset} ${status}`)).toEqual([
      'archived active',
      'created active',
      'held active',
      'moved active',
      'restored unknown',
      'strange unknown',
    ]);
    const totals = await db.query(
      `SELECT p.name, sum(c.count)::int AS total FROM fresh_list_counts() c JOIN projects p ON p.id = c.scope WHERE c.list = 'assets' GROUP BY 1 ORDER BY 1`,
    );
    expect(totals.rows).toEqual([
      { name: 'operator', total: 5 },
      { name: 'tenant', total: 4 },
    ]);
    expect((await db.query(`SELECT FROM list_counts WHERE list = 'assets'`)).rowCount).toBe(0);
  });

  /** Two workspaces; of each asset the id says what became of it. */
  async function fillBefore(): Promise<void> {
    const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    await db.query(
      `INSERT INTO workspaces (id, name, created_at) VALUES ('${id(1)}', 'a', '2026-01-01'), ('${id(2)}', 'b', '2026-01-02')`,
    );
    await db.query(
      `INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('${id(11)}', '${id(1)}', 'operator', '2026-01-01'), ('${id(12)}', '${id(2)}', 'tenant', '2026-01-02')`,
    );
    for (const gid of ['eip155:1', 'eip155:2'])
      await db.query(
        `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
        [gid],
      );
    const asset = (
      chain: string,
      reference: string,
      status: string,
      decimals: number | null,
      archivedAt: string | null = null,
    ) =>
      db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source, archived_at, created_at)
         SELECT $1 || '/' || ns || ':' || $2, $1, ns, $2, CASE ns WHEN 'slip44' THEN 'native' ELSE 'fungible' END, $3, 'N', 'S' || $2, $4::integer, CASE ns WHEN 'slip44' THEN 'registry' ELSE 'chain' END, $5::timestamptz, '2026-01-09'
         FROM (SELECT CASE $2 WHEN '60' THEN 'slip44' ELSE 'erc20' END AS ns) n`,
        [chain, reference, status, decimals, archivedAt],
      );
    await asset('eip155:1', '60', 'invalid', 18, '2026-03-01');
    await asset('eip155:2', '60', 'active', 18);
    for (const reference of ['moved', 'held', 'created']) await asset('eip155:1', reference, 'active', 6);
    await asset('eip155:1', 'archived', 'invalid', 6, '2026-03-01');
    await asset('eip155:1', 'restored', 'active', null);
    await asset('eip155:1', 'strange', 'unknown', null);
    const move = async (n: number, project: number, reference: string, day: string): Promise<void> => {
      await db.query(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, detected_at) VALUES ($1::uuid, $2, 'eip155:1', $1::uuid::text, 'confirmed', 'in', 1, $3)`,
        [id(n), id(project), `2026-${day}`],
      );
      await db.query(
        `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses) VALUES ($1, 0, $2, 'eip155:1', 'token', 'eip155:1/erc20:' || $3, 5, '{a}')`,
        [id(n), id(project), reference],
      );
    };
    await move(31, 11, 'moved', '01-05');
    await move(32, 11, 'moved', '02-05');
    await move(33, 12, 'moved', '01-06');
    await move(34, 11, 'archived', '01-06');
    await move(35, 12, 'restored', '01-07');
    await move(36, 12, 'strange', '01-08');
    await db.query(
      `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format) VALUES ('${id(41)}', '${id(11)}', 'evm', 'a', 'a', 'external', 'evm')`,
    );
    for (const gid of ['eip155:1/erc20:held', 'eip155:1/slip44:60']) {
      await db.query(
        `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, 'eip155:1', 5, 1, 'x')`,
        [id(41), gid],
      );
      await db.query(
        `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw, created_at) VALUES ($1, $2, 'eip155:1', 1, 'x', 5, '2026-02-01')`,
        [id(41), gid],
      );
    }
  }
});
