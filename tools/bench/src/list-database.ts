import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations, createDatabase } from '@chainwatch/db';
import { findFreePort, killWithParent, waitFor } from '@chainwatch/testing';
import { preparePostgres } from '@chainwatch/tool-stack/postgres-server';
import { bootstrap } from '../../db/src/bootstrap.ts';
import { addressSteps, dimensionSteps, drawSteps, dropSteps, otherSteps, transactionSteps, type ListScale } from './list-data.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const PASSWORD = 'bench';

interface ListDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** The filled database on a server of its own; its directory is kept and used again while the generator stays the same. */
export async function openListDatabase(directory: string, scale: ListScale): Promise<ListDatabase> {
  const marker = `${directory}/made-by`;
  const wanted = hashMaker(scale);
  const isMade = existsSync(marker) && readFileSync(marker, 'utf8') === wanted;
  if (!isMade) rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  // The data directory inside belongs to the server's user, who has to get through this one.
  chmodSync(directory, 0o711);
  const server = await startServer(`${directory}/data`);
  await applyMigrations(server.url, MIGRATIONS);
  if (!isMade) {
    await fill(server.url, scale);
    writeFileSync(marker, wanted);
  }
  return server;
}

function hashMaker(scale: ListScale): string {
  return createHash('sha256').update(JSON.stringify(scale)).update(readFileSync(new URL('list-data.ts', import.meta.url))).digest('hex');
}

async function startServer(dataDir: string): Promise<ListDatabase> {
  const port = await findFreePort();
  const { spec, url } = await preparePostgres({ port, dataDir, password: PASSWORD, isDurable: false });
  const settings = ['wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=1GB', 'jit=off', 'shared_buffers=1GB', 'maintenance_work_mem=1GB', 'autovacuum_vacuum_cost_delay=0'];
  const child = spawn(spec.command, [...(spec.args ?? []), ...settings.flatMap((setting) => ['-c', setting])], { cwd: '/', ...spec.account, stdio: 'ignore' });
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'QUIT'));
  await waitFor(() => canConnect(url), { timeoutMs: 60_000, message: 'PostgreSQL of the list bench' });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGINT');
      }),
  };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  return client.connect().then(() => client.end().then(() => true), () => false);
}

async function fill(url: string, scale: ListScale): Promise<void> {
  const db = createDatabase({ url, applicationName: 'list-data', poolSize: 4, statementTimeoutMs: 3_600_000 });
  await bootstrap(db, { label: 'svc' });
  // Rows come as they would have come one by one, but without triggers and with the indexes made at the end.
  const dropped = await dropIndexes(url);
  await run(url, [...dimensionSteps(scale), ...addressSteps(), ...drawSteps(scale)]);
  await Promise.all([...transactionSteps(scale).map((steps) => run(url, steps)), run(url, otherSteps(scale))]);
  await run(url, dropSteps);
  const halves = [0, 1].map((half) => dropped.filter((_, index) => index % 2 === half));
  await Promise.all(halves.map((statements) => run(url, statements)));
  await run(url, ['SELECT rebuild_list_counts()', 'VACUUM (ANALYZE)', 'CHECKPOINT']);
  await expectConsistent(db);
  await db.close();
}

/** Drops every index that is no constraint of the big tables. Returns how to make them again. */
async function dropIndexes(url: string): Promise<string[]> {
  const db = createDatabase({ url, applicationName: 'list-data', poolSize: 1 });
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid IN ('transactions'::regclass, 'transfers'::regclass, 'transaction_addresses'::regclass, 'addresses'::regclass, 'blocks'::regclass, 'deliveries'::regclass, 'events'::regclass)
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  const { rows: constraints } = await db.query<{ owner: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS owner, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype IN ('p', 'u') AND conrelid IN ('transfers'::regclass, 'transaction_addresses'::regclass) OR conname = 'transactions_project_id_chain_gid_hash_key'`,
  );
  for (const { owner, name } of constraints) await db.query(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}`);
  await db.close();
  return [...constraints.map(({ owner, name, definition }) => `ALTER TABLE ${owner} ADD CONSTRAINT ${name} ${definition}`), ...rows.map(({ definition }) => definition)];
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Neither triggers nor foreign keys.
  await client.query('SET session_replication_role = replica');
  for (const statement of statements) {
    const started = performance.now();
    const { rowCount } = await client.query(statement);
    const seconds = (performance.now() - started) / 1_000;
    if (seconds > 1) console.log(`  ${seconds.toFixed(1)} s  ${rowCount ?? ''}  ${statement.replace(/\s+/g, ' ').slice(0, 90)}`);
  }
  await client.end();
}

/** What the triggers would have written is what the generator wrote. */
async function expectConsistent(db: ReturnType<typeof createDatabase>): Promise<void> {
  const { rows } = await db.query<{ wrong: number }>(
    `WITH sample AS (SELECT * FROM transactions ORDER BY id LIMIT 1000)
     SELECT count(*)::int AS wrong FROM sample t
     LEFT JOIN LATERAL (SELECT max((r.amount_raw || 'e-' || d.decimals)::numeric) AS amount FROM transfers r JOIN assets d ON d.gid = r.asset_gid WHERE r.transaction_id = t.id) a ON true
     LEFT JOIN transaction_addresses ta ON ta.transaction_id = t.id
     WHERE a.amount IS DISTINCT FROM t.amount_max OR (ta.detected_at, ta.block_position) IS DISTINCT FROM (t.detected_at, t.block_position)
       OR NOT EXISTS (SELECT FROM addresses x WHERE x.id = ta.address_id AND x.project_id = t.project_id)`,
  );
  if (rows[0]!.wrong > 0) throw new Error(`expected the generated rows to agree with each other, got ${rows[0]!.wrong} of 1000 that do not`);
}
