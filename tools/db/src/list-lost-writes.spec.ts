// SPDX-License-Identifier: Apache-2.0
import { createDatabase, type Database } from '@chainwatch/data/db';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from './bootstrap.ts';
import { listLostWrites, WRITTEN_TABLES, type LostWrite } from './list-lost-writes.ts';

/** Made by services out of what chains, customers' servers and clocks say; or written in one statement with an audit log. */
const OTHERS = `
  _prisma_migrations _sql_functions ingestor_states analyzer_states balance_states chain_feed blocks block_runs block_packing
  assets transactions transfers transaction_addresses transaction_tombstones utxos pending_inputs unproved_transactions unproved_coins unproved_spends
  project_sequences events event_keys event_log event_partitions unpublished_events undispatched_events
  historical_dispatches unpositioned_events event_positions project_positions stream_incarnations deliveries delivery_attempts proof_requests
  balance_reads balances balance_history balance_rounds balance_differences networks chain_node_health block_changes adjustments address_watches address_backfills address_histories
  incidents reprocesses resets skips owners owner_beats list_counts list_changes idempotency_keys ended_sessions portal_sessions rpc_usage
  statements statement_parts statement_keys reconciliations reconciliation_rows channel_expression_errors channel_activity
`
  .trim()
  .split(/\s+/);

let postgres: PostgresHandle;
let restored: Database;
let lost: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  restored = createDatabase({ url: postgres.url, applicationName: 'list-lost-writes-spec' });
  lost = createDatabase({ url: await postgres.createDatabase(), applicationName: 'list-lost-writes-spec' });
});
afterAll(async () => {
  await Promise.all([restored.close(), lost.close()]);
  await postgres.stop();
});

async function list(): Promise<LostWrite[]> {
  const writes: LostWrite[] = [];
  for await (const write of listLostWrites(restored, lost)) writes.push(write);
  return writes;
}

it('knows every table of the schema', async () => {
  const { rows } = await restored.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const known = new Set([...WRITTEN_TABLES.map(({ table }) => table), ...OTHERS]);
  expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});

it('tells what was created, changed and deleted after the moment, over many pages, and shows nothing sealed', async () => {
  const { projectId, workspaceId } = await bootstrap(restored, { label: 'svc' });
  for (const table of ['workspaces', 'projects', 'api_keys']) {
    const { rows } = await restored.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${table} t`,
    );
    for (const { row } of rows)
      await lost.query(`INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, $1)`, [row]);
  }
  const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const insert = `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format)
    SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'evm', n::text, n::text, 'external', 'evm'
    FROM generate_series($2::int, $3::int) n`;
  await restored.query(insert, [projectId, 1, 25_000]);
  await lost.query(insert, [projectId, 2, 25_001]);
  await lost.query(`UPDATE addresses SET label = 'new', updated_at = now() WHERE id = $1`, [idOf(12_345)]);
  // What a service writes is nobody's write.
  await lost.query(`UPDATE addresses SET is_used = true WHERE id = $1`, [idOf(9)]);
  for (const [db, sealed] of [
    [restored, 'one'],
    [lost, 'two'],
  ] as const)
    await db.query(
      `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, 'webhook', 'w', '{}', $3)`,
      [idOf(1), projectId, sealed],
    );
  await lost.query(`UPDATE workspaces SET name = 'Renamed' WHERE id = $1`, [workspaceId]);
  const writes = await list();
  expect(writes.map(({ table, key, write }) => [table, key, write])).toEqual([
    ['workspaces', workspaceId, 'changed'],
    ['addresses', idOf(1), 'deleted'],
    ['addresses', idOf(12_345), 'changed'],
    ['addresses', idOf(25_001), 'created'],
    ['notification_channels', idOf(1), 'changed'],
  ]);
  expect(writes[2]!.record).toMatchObject({ project_id: projectId, address: '12345', label: 'new' });
  expect(JSON.stringify(writes)).not.toMatch(/sealed|"two"/);
  await lost.query('DELETE FROM addresses WHERE id > $1', [idOf(30)]);
  expect((await list()).filter(({ table }) => table === 'addresses')).toHaveLength(25_000 - 30 + 1);
});
