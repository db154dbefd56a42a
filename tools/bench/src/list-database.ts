// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations, createDatabase, type Database } from '@chainwatch/data/db';
import { findFreePort, killWithParent, waitFor } from '@chainwatch/testing';
import { preparePostgres } from '@chainwatch/testing/host';
import { bootstrap } from '../../db/src/bootstrap.ts';
import {
  addressSteps,
  dimensionSteps,
  drawSteps,
  dropSteps,
  otherSteps,
  transactionSteps,
  type ListScale,
} from './list-data.ts';
import { withoutTimeout } from './without-timeout.ts';

const PRISMA = fileURLToPath(new URL('../../../prisma', import.meta.url));
const PASSWORD = 'bench';

interface ListDatabase {
  readonly url: string;
  readonly pid: number;
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
  await applyMigrations(server.url, PRISMA);
  if (!isMade) {
    await fill(server.url, scale);
    writeFileSync(marker, wanted);
  }
  return server;
}

function hashMaker(scale: ListScale): string {
  return createHash('sha256')
    .update(JSON.stringify(scale))
    .update(readFileSync(new URL('list-data.ts', import.meta.url)))
    .digest('hex');
}

async function startServer(dataDir: string): Promise<ListDatabase> {
  const port = await findFreePort();
  const { spec, url } = await preparePostgres({ port, dataDir, password: PASSWORD, isDurable: false });
  const settings = [
    'wal_level=minimal',
    'max_wal_senders=0',
    'max_wal_size=2GB',
    'checkpoint_timeout=30min',
    'jit=off',
    'shared_buffers=1GB',
    'maintenance_work_mem=1GB',
    'autovacuum_vacuum_cost_delay=0',
  ];
  const child = spawn(
    spec.command,
    [...(spec.args ?? []), ...settings.flatMap((setting) => ['-c', setting])],
    { cwd: '/', ...spec.account, stdio: 'ignore' },
  );
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'QUIT'));
  await waitFor(() => canConnect(url), { timeoutMs: 60_000, message: 'PostgreSQL of the list bench' });
  return {
    url,
    pid: child.pid!,
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
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

async function fill(url: string, scale: ListScale): Promise<void> {
  const db = createDatabase({
    url: withoutTimeout(url),
    applicationName: 'list-data',
    poolSize: 4,
    statementTimeoutMs: 3_600_000,
  });
  await bootstrap(db, { label: 'svc' });
  // Rows come as they would have come one by one, but without triggers, and with indexes and totals made at the end.
  const { keys, indexes, references } = await dropIndexes(db);
  await runQueues(url, 1, [[...dimensionSteps(scale), ...addressSteps(), ...drawSteps(scale)]]);
  await runQueues(url, 2, [...transactionSteps(scale), otherSteps(scale)]);
  await runQueues(url, 1, [dropSteps]);
  await runQueues(
    url,
    2,
    [...keys, ...indexes].map((statement) => [statement]),
  );
  await runQueues(url, 1, [references, ['SELECT rebuild_list_counts()', 'VACUUM (ANALYZE)', 'CHECKPOINT']]);
  await expectConsistent(db);
  await db.close();
}

const BIG = [
  'transactions',
  'transfers',
  'transaction_addresses',
  'addresses',
  'blocks',
  'deliveries',
  'list_counts',
]
  .map((table) => `'${table}'::regclass`)
  .join(', ');

interface Dropped {
  /** How to make the keys of the big tables again, their other indexes, and what refers to these keys. */
  readonly keys: readonly string[];
  readonly indexes: readonly string[];
  readonly references: readonly string[];
}

async function dropIndexes(db: Database): Promise<Dropped> {
  const { rows: constraints } = await db.query<{
    owner: string;
    name: string;
    type: string;
    definition: string;
  }>(
    `SELECT conrelid::regclass::text AS owner, conname AS name, contype AS type, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype IN ('p', 'u') AND conrelid IN (${BIG}) AND conname <> 'addresses_pkey' OR contype = 'f' AND confrelid IN (${BIG}) AND confrelid <> 'addresses'::regclass
     ORDER BY contype`,
  );
  for (const { owner, name } of constraints) await db.query(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}`);
  const { rows: indexes } = await db.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i WHERE i.indrelid IN (${BIG}) AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
  );
  for (const { name } of indexes) await db.query(`DROP INDEX ${name}`);
  const again = (isReference: boolean): string[] =>
    constraints
      .filter(({ type }) => (type === 'f') === isReference)
      .map(({ owner, name, definition }) => `ALTER TABLE ${owner} ADD CONSTRAINT ${name} ${definition}`);
  return {
    keys: again(false),
    references: again(true),
    indexes: indexes.map(({ definition }) => definition),
  };
}

/** The statements of a queue run one after the other; so many queues at once, without triggers. */
async function runQueues(
  url: string,
  sessions: number,
  queues: readonly (readonly string[])[],
): Promise<void> {
  const waiting = [...queues];
  const work = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: withoutTimeout(url) });
    await client.connect();
    await client.query(
      `SET session_replication_role = replica; SET work_mem = '512MB'; SET max_parallel_maintenance_workers = 0`,
    );
    for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift())
      for (const statement of queue) await runTimed(client, statement);
    await client.end();
  };
  await Promise.all(Array.from({ length: sessions }, work));
}

async function runTimed(client: pg.Client, statement: string): Promise<void> {
  const started = performance.now();
  const { rowCount } = await client.query(statement);
  const seconds = (performance.now() - started) / 1_000;
  if (seconds > 1)
    console.log(
      `  ${seconds.toFixed(1)} s  ${rowCount ?? ''}  ${statement.replace(/\s+/g, ' ').slice(0, 110)}`,
    );
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
  if (rows[0]!.wrong > 0)
    throw new Error(
      `expected the generated rows to agree with each other, got ${rows[0]!.wrong} of 1000 that do not`,
    );
}
