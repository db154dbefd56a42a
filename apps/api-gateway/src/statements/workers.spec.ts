// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@chainwatch/testing';
import { verifyStatement } from '@chainwatch/verify';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import {
  CHAIN,
  download,
  ETHER,
  hashOf,
  linesOf,
  parseLines,
  startSpecWorker,
  StatementLedger,
  STRANGER,
  timeOf,
} from '../spec-support/statement-ledger.ts';
import { composeStatement } from './compose-statement.ts';
import { DocumentWriter } from './statement-worker.ts';
import { ROWS_AT_ONCE } from './read-entries.ts';
import { StatementLostError } from './statement-errors.ts';
import {
  claimStatement,
  completeStatement,
  giveUpStatement,
  renewStatement,
  storePart,
} from './statement-store.ts';

const MOVEMENTS = 200_000;
const PART = 25_000;
/** Of a replica that writes them, the code of the service included. */
const HEAP_MIB = 96;
const PERIOD = { from: timeOf(10), to: timeOf(30) };

interface QueryResult {
  readonly rows: readonly unknown[];
}

let world: SpecWorld;
let mine: { readonly id: string; readonly address: string };
beforeAll(async () => {
  world = await startSpecWorld();
  const ledger = new StatementLedger(world);
  await ledger.addChain(40);
  await ledger.addAsset(ETHER, 'native');
  mine = await ledger.addAddress(world.api);
  await ledger.addReading(mine.id, 5, 0n);
  // In parts: each statement ends in its time on a slow machine, too.
  for (let from = 0; from < MOVEMENTS; from += PART) await addMany(mine, from);
  await ledger.addReading(mine.id, 29, BigInt(MOVEMENTS));
}, 600_000);
afterAll(() => world.stop());
afterEach(() => world.db.query('DELETE FROM statements'));

/** Without the triggers that keep lists, which no statement reads. */
async function addMany({ id, address }: typeof mine, from: number): Promise<void> {
  await world.db.transaction(async (sql) => {
    await sql.query('SET LOCAL session_replication_role = replica');
    await sql.query(`SET LOCAL statement_timeout = '2min'`);
    await sql.query(
      'CREATE TEMPORARY TABLE many ON COMMIT DROP AS SELECT gen_random_uuid() AS id, n FROM generate_series($1::int + 1, $1 + $2::int) n',
      [from, PART],
    );
    await sql.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, block_timestamp, tx_index, required_confirmations, verification)
       SELECT id, $1, $2, md5(n::text), 'confirmed', 'in', 10 + n % 20, $3, now(), n, 1, 'proved' FROM many`,
      [world.project.projectId, CHAIN, hashOf(10)],
    );
    await sql.query(
      'INSERT INTO transaction_addresses (address_id, transaction_id) SELECT $1, id FROM many',
      [id],
    );
    await sql.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
       SELECT id, 0, $1, $2, 'native', $3, $4, $5, 1, '{}' FROM many`,
      [world.project.projectId, CHAIN, ETHER, STRANGER, address],
    );
  });
  await world.db.query('ANALYZE transactions, transaction_addresses, transfers');
}

async function insert(projectId: string, addressIds: readonly string[], format = 'ndjson'): Promise<string> {
  const request = { address_ids: addressIds, addresses: [], chain_gids: null, ...PERIOD };
  const { rows } = await world.db.query<{ id: string }>(
    'INSERT INTO statements (project_id, request, format, address_count) VALUES ($1, $2, $3, 1) RETURNING id',
    [projectId, JSON.stringify(request), format],
  );
  return rows[0]!.id;
}

const statusOf = async (id: string): Promise<{ status: string; attempt: number; reason: string | null }> =>
  (
    await world.db.query<{ status: string; attempt: number; reason: string | null }>(
      'SELECT status, attempt, reason FROM statements WHERE id = $1',
      [id],
    )
  ).rows[0]!;
const expireLease = (id: string): Promise<unknown> =>
  world.db.query(`UPDATE statements SET lease_until = now() - interval '1 s' WHERE id = $1`, [id]);
const isFinished = async (id: string): Promise<boolean> =>
  ['completed', 'failed'].includes((await statusOf(id)).status);

it('serves the workspace that was served longest ago, and each statement once', async () => {
  const [one, other] = [world.project.projectId, world.otherProject.projectId];
  const ids = [
    await insert(one, []),
    await insert(one, []),
    await insert(other, []),
    await insert(other, []),
  ];
  const claimed = [];
  for (let turn = 0; turn < 5; turn += 1) claimed.push((await claimStatement(world.db))?.id);
  expect(claimed).toEqual([ids[0], ids[2], ids[1], ids[3], undefined]);
});

it('is written once, whichever of two replicas takes it', async () => {
  const ids: string[] = [];
  for (const projectId of [world.project.projectId, world.otherProject.projectId])
    for (let count = 0; count < 10; count += 1) ids.push(await insert(projectId, []));
  const workers = [startSpecWorker(world), startSpecWorker(world)];
  try {
    for (const id of ids) await waitFor(async () => (await isFinished(id)) || null);
    const { rows } = await world.db.query<{ status: string; attempt: number; parts: number; kid: string }>(
      `SELECT status, attempt, kid, (SELECT count(*) FROM statement_parts p WHERE p.statement_id = s.id) AS parts FROM statements s`,
    );
    // The lines, and the signature.
    expect(rows.map(({ status, attempt, parts }) => [status, attempt, parts])).toEqual(
      ids.map(() => ['completed', 1, 2]),
    );
    expect(workers.flatMap(({ warnings }) => warnings)).toEqual([]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
});

it('is begun again after its replica was killed, and complete, in less memory than the document', async () => {
  const id = await insert(world.project.projectId, [mine.id]);
  const child = startProcess();
  await waitFor(
    async () => {
      const { rows } = await world.db.query<{ parts: number }>(
        'SELECT count(*) AS parts FROM statement_parts',
      );
      return rows[0]!.parts >= 3 || null;
    },
    { timeoutMs: 120_000 },
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await statusOf(id)).toMatchObject({ status: 'running', attempt: 1 });
  const other = startProcess();
  try {
    // 30 seconds later.
    await expireLease(id);
    await waitFor(async () => (await isFinished(id)) || null, { timeoutMs: 480_000 });
    expect(await statusOf(id)).toEqual({ status: 'completed', attempt: 2, reason: null });
    expect(other.exitCode).toBeNull();
    const text = await download(world.api, id);
    // More than the process may hold.
    expect(text.length / 2 ** 20).toBeGreaterThan(HEAP_MIB);
    const keys = (await world.send('get', '/.well-known/chainwatch-keys').expect(200)).body;
    expect(await verifyStatement(text, { keys })).toMatchObject({
      isValid: true,
      lines: { movements: MOVEMENTS, balances: 1, unexplained: 0, gaps: 0 },
    });
    expect(linesOf(parseLines(text.slice(-5_000).replace(/^[^\n]*\n/, '')), 'balance')).toMatchObject([
      { explained_raw: String(MOVEMENTS), unexplained_raw: '0' },
    ]);
  } finally {
    other.kill('SIGKILL');
  }
}, 1_200_000);

it('takes nothing from a replica that was presumed dead', async () => {
  const id = await insert(world.project.projectId, []);
  const former = (await claimStatement(world.db))!;
  await storePart(world.db, former, { index: 0, bytes: Buffer.from('former') });
  await expireLease(id);
  const current = (await claimStatement(world.db))!;
  expect(current).toMatchObject({ id, attempt: 2 });
  const progress = { addresses: 0, movements: 0, gaps: 0, unexplained: 0 };
  const result = { size: 1, sha256: 'x', signature: 'x', kid: 'x', progress };
  const part = { index: 1, bytes: Buffer.from('late') };
  await expect(storePart(world.db, former, part)).rejects.toThrow(StatementLostError);
  await expect(renewStatement(world.db, former, progress)).rejects.toThrow(StatementLostError);
  await expect(completeStatement(world.db, former, result)).rejects.toThrow(StatementLostError);
  await giveUpStatement(world.db, former, { reason: 'late', then: 'fail' });
  expect(await statusOf(id)).toEqual({ status: 'running', attempt: 2, reason: null });
  const { rowCount } = await world.db.query('SELECT FROM statement_parts');
  expect(rowCount).toBe(0);
});

it('fails after five attempts that ended with their processes', async () => {
  const id = await insert(world.project.projectId, []);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect(await claimStatement(world.db)).toMatchObject({ id, attempt });
    await expireLease(id);
  }
  expect(await claimStatement(world.db)).toBeUndefined();
  expect(await statusOf(id)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('interrupted'),
  });
});

it('is queued again when its replica stops, and ends when it is deleted', async () => {
  const id = await insert(world.project.projectId, [mine.id]);
  const worker = startSpecWorker(world);
  await waitFor(async () => (await statusOf(id)).status === 'running' || null);
  await worker.stop();
  expect(await statusOf(id)).toMatchObject({ status: 'queued', attempt: 1 });
  const next = startSpecWorker(world);
  try {
    await waitFor(async () => (await statusOf(id)).status === 'running' || null);
    await world.api.delete(`/statements/${id}`).expect(204);
    const small = await insert(world.project.projectId, []);
    await waitFor(async () => (await isFinished(small)) || null, { timeoutMs: 120_000 });
    expect(await statusOf(small)).toMatchObject({ status: 'completed' });
    expect(next.warnings).toEqual([]);
  } finally {
    await next.stop();
  }
}, 600_000);

it('holds a page of rows and a part of the document, however many movements there are', async () => {
  const { db } = world;
  let rowsMax = 0;
  let linesCount = 0;
  const partLengths: number[] = [];
  const writer = new DocumentWriter(async (_, bytes) => void partLengths.push(bytes.length));
  const counted: typeof db = {
    ...db,
    transaction: (work, opening, options) =>
      db.transaction(
        (sql, opened) => {
          const query = async (...args: Parameters<typeof sql.query>) => {
            const asked = sql.query(...args) as unknown as Promise<QueryResult | readonly QueryResult[]>;
            const result = await asked;
            // Of several statements there is one each.
            const rows = [result].flat().flatMap((each) => each.rows);
            rowsMax = Math.max(rowsMax, rows.length);
            return result;
          };
          return work({ ...sql, query: query as unknown as typeof sql.query }, opened);
        },
        opening,
        options,
      ),
  };
  const request = { address_ids: [mine.id], addresses: [mine.address], chain_gids: null, ...PERIOD };
  await composeStatement({
    db: counted,
    statement: { id: mine.id, projectId: world.project.projectId, request, format: 'ndjson', attempt: 1 },
    signal: new AbortController().signal,
    progress: { addresses: 0, movements: 0, gaps: 0, unexplained: 0 },
    emit: (line) => {
      linesCount += 1;
      return writer.write(`${JSON.stringify(line)}\n`);
    },
  });
  const { size } = await writer.finish(() => '');
  expect(linesCount).toBeGreaterThan(MOVEMENTS);
  expect(rowsMax).toBe(ROWS_AT_ONCE);
  // As many as its size asks for: none is larger than the others by more than a line.
  expect(partLengths.length).toBeGreaterThanOrEqual(Math.ceil(size / 600_000));
}, 600_000);

function startProcess(): ChildProcess {
  return spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MIB}`,
      '--import',
      'tsx',
      fileURLToPath(new URL('../spec-support/statement-process.ts', import.meta.url)),
    ],
    { env: { ...process.env, DATABASE_URL: world.databaseUrl }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
