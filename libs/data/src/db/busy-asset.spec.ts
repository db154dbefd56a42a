// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const CHAIN = 'eip155:1';
const ASSET = `${CHAIN}/erc20:0xa`;
const STEPS = 10;
const ROWS = 200;

describe('transfers of one busy asset, in a table without statistics', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    db = createDatabase({ url: postgres.url, applicationName: 'busy-asset-spec', poolSize: 1 });
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  it('are written and deleted without a look at the others of the asset', async () => {
    await db.query('ALTER TABLE transfers SET (autovacuum_enabled = false)');
    const [workspaceId, projectId] = [randomUUID(), randomUUID()];
    await db.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'w')`, [workspaceId]);
    await db.query(`INSERT INTO projects (id, workspace_id, name) VALUES ($1, $2, 'p')`, [
      projectId,
      workspaceId,
    ]);
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
      [CHAIN],
    );
    await db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', '0xa', 'fungible', 'active', 6)`,
      [ASSET, CHAIN],
    );
    for (let step = 0; step < STEPS; step += 1)
      await insert(
        projectId,
        Array.from({ length: ROWS }, (_, n) => idOf(step * ROWS + n)),
      );
    await db.query('DELETE FROM transfers WHERE transaction_id = ANY($1::uuid[])', [[idOf(0), idOf(1)]]);
    expect(await count()).toBe(STEPS * ROWS - 2);
    await db.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await db.query(
      `SELECT indexrelname AS index, idx_scan > 0 AS was_read FROM pg_stat_user_indexes WHERE relname = 'transfers' ORDER BY 1`,
    );
    expect(rows).toEqual([
      { index: 'transfers_asset_idx', was_read: false },
      { index: 'transfers_memo_idx', was_read: false },
      { index: 'transfers_pkey', was_read: true },
    ]);
  });

  async function insert(projectId: string, ids: readonly string[]): Promise<void> {
    await db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, required_confirmations, detected_at)
       SELECT id, $2, $3, id::text, 'confirmed', 'in', 1, 1, now() FROM unnest($1::uuid[]) AS s (id)`,
      [ids, projectId, CHAIN],
    );
    await db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
       SELECT id, 0, $2, $3, 'token', $4, 1, '{a}' FROM unnest($1::uuid[]) AS s (id)`,
      [ids, projectId, CHAIN, ASSET],
    );
  }

  /** As lists tell it. */
  async function count(): Promise<number> {
    const { rows } = await db.query<{ count: string }>(
      `SELECT sum(count) AS count FROM (SELECT count FROM list_counts WHERE list = 'asset' UNION ALL SELECT count FROM list_changes WHERE list = 'asset') c`,
    );
    return Number(rows[0]!.count);
  }
});

function idOf(n: number): string {
  const hash = createHash('sha256').update(String(n)).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
