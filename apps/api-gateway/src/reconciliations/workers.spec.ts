// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import type { Author } from '../management/record-change.ts';
import {
  authorOf,
  COIN,
  insertBookTransactions,
  prepareBooks,
  readOutcomes,
  reconcile,
  type Outcome,
} from '../spec-support/books.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { receiveLedger, type Ledger } from './receive-ledger.ts';
import { reconcileStep } from './reconcile-step.ts';
import { removeReconciliations, startReconciling } from './start-reconciling.ts';

const OWN = `0x${'a'.repeat(40)}`;
const STRANGER = `0x${'c'.repeat(40)}`;
const START = Date.parse('2026-10-01T00:00:00Z');
const COUNT = 12_000;
const LEDGER: Omit<Ledger, 'bytes'> = {
  ...{ format: 'csv', scope: 'project', includeFees: false, name: undefined },
  ...{ from: new Date(START), to: new Date('2026-11-01T00:00:00Z') },
};
const logger = { warn: () => undefined };

let world: SpecWorld;
let author: Author;
let otherAuthor: Author;
let replica: Database;
beforeAll(async () => {
  world = await startSpecWorld();
  replica = createDatabase({ url: world.databaseUrl, applicationName: 'replica-spec' });
  await prepareBooks(world, [OWN]);
  author = await authorOf(world.db, world.project);
  otherAuthor = await authorOf(world.db, world.otherProject);
  await insertBookTransactions(
    world.db,
    { projectId: world.project.projectId, monitored: new Set([OWN]) },
    Array.from({ length: COUNT }, (_, index) => ({
      ...{ hash: hashOf(index), status: 'confirmed' as const, time: new Date(START + index * 1_000) },
      transfers: [{ from: STRANGER, to: OWN, assetGid: COIN, amount: BigInt(index + 1) }],
    })),
  );
}, 120_000);
afterAll(async () => {
  await replica.close();
  await world.stop();
});
afterEach(() => world.db.query('UPDATE reconciliations SET expires_at = now()'));

function hashOf(index: number): string {
  return `0x${index.toString(16).padStart(64, '0')}`;
}

/** Two thirds of the movements are booked, one of them wrong. */
function writeLedger(): string {
  const rows = Array.from({ length: COUNT }, (_, index) => index)
    .filter((index) => index % 3 !== 0)
    .map((index) => `${hashOf(index)},${OWN},${COIN},${index === 100 ? 1 : index + 1}`);
  return `hash,address,asset_gid,amount_raw\n${rows.join('\n')}`;
}

const upload = (db: Database, who: Author, text: string): Promise<string> =>
  receiveLedger(db, who, { ...LEDGER, bytes: Readable.from([Buffer.from(text)], { objectMode: false }) });

const statusOf = async (id: string): Promise<string> =>
  (await world.db.query<{ status: string }>('SELECT status FROM reconciliations WHERE id = $1', [id]))
    .rows[0]!.status;

const withoutId = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ id: _id, ...outcome }) => JSON.stringify(outcome)).sort();

it('two replicas and a worker that is killed again and again come to what one worker comes to', async () => {
  const expected = withoutId(await reconcile(world.db, author, { ...LEDGER, text: writeLedger() }));
  expect(expected).toHaveLength(COUNT);
  expect(expected.filter((one) => one.includes('missing_in_books'))).toHaveLength(COUNT / 3);
  const id = await upload(world.db, author, writeLedger());
  const file = fileURLToPath(new URL('../spec-support/reconciling-process.ts', import.meta.url));
  let kills = 0;
  while (kills < 4) {
    const child = spawn(process.execPath, ['--import', 'tsx', file, world.databaseUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    kills += 1;
  }
  expect(await statusOf(id)).toBe('matching');
  const stops = [world.db, replica].map((db) => startReconciling({ db, logger, pauseMs: 10 }));
  await waitFor(async () => (await statusOf(id)) === 'completed', { timeoutMs: 120_000 });
  await Promise.all(stops.map((stop) => stop()));
  expect(withoutId(await readOutcomes(world.db, id))).toEqual(expected);
}, 300_000);

it('no two work on the same reconciliation at once', async () => {
  await upload(world.db, author, writeLedger());
  let others: boolean | undefined;
  const isDone = await reconcileStep(world.db, () => undefined);
  expect(isDone).toBe(true);
  // While one holds it, another one finds nothing to do.
  await world.db.transaction(async (sql) => {
    await sql.query("SELECT FROM reconciliations WHERE status = 'matching' FOR UPDATE");
    others = await reconcileStep(replica);
  });
  expect(others).toBe(false);
});

it('workspaces take turns', async () => {
  await upload(world.db, author, writeLedger());
  await upload(world.db, author, writeLedger());
  await upload(world.db, otherAuthor, `hash,address,asset_gid,amount_raw\n${hashOf(1)},${OWN},${COIN},1`);
  const served: string[] = [];
  for (let step = 0; step < 4; step += 1)
    await reconcileStep(world.db, ({ project_id }) => served.push(project_id));
  expect(served.slice(0, 4).filter((one) => one === world.otherProject.projectId)).toHaveLength(2);
});

it('nothing of another project is found: its transactions are unknown', async () => {
  const outcomes = await reconcile(world.db, otherAuthor, {
    ...LEDGER,
    text: `hash,address,asset_gid,amount_raw\n${hashOf(1)},${OWN},${COIN},2`,
  });
  expect(outcomes.map(({ class: name, reason, moved }) => [name, reason, moved])).toEqual([
    ['missing_on_chain', 'transaction: the project has none with this hash', null],
  ]);
});

it('removes what was deleted, has expired, was left by its sender, or is of a deleted project', async () => {
  const left = async (): Promise<number> =>
    (await world.db.query<{ n: number }>('SELECT count(*) AS n FROM reconciliation_rows')).rows[0]!.n;
  await upload(world.db, author, writeLedger());
  await world.db.query(
    "UPDATE reconciliations SET status = 'receiving', lease_until = now() - interval '1 s' WHERE expires_at > now()",
  );
  expect(await left()).toBeGreaterThan(0);
  await removeReconciliations(world.db);
  expect(await left()).toBe(0);
  expect((await world.db.query('SELECT FROM reconciliations')).rowCount).toBe(0);

  const { body: project } = await world.management
    .post('/management/projects')
    .send({ name: 'Closed' })
    .expect(201);
  await upload(world.db, author, writeLedger());
  await world.db.query('UPDATE reconciliations SET project_id = $1', [project.id]);
  await world.management.delete(`/management/projects/${project.id}`).expect(204);
  expect(await reconcileStep(world.db)).toBe(false);
  await removeReconciliations(world.db);
  expect(await left()).toBe(0);
});

it('a transaction of many transfers that many rows name is matched within the time of a statement', async () => {
  const hash = `0x${'e'.repeat(64)}`;
  const transfers = 3_000;
  const rows = 25_000;
  await insertBookTransactions(world.db, { projectId: world.project.projectId, monitored: new Set([OWN]) }, [
    {
      ...{ hash, status: 'confirmed', time: new Date(START) },
      transfers: Array.from({ length: transfers }, (_, index) => ({
        ...{ from: STRANGER, to: OWN, assetGid: COIN, amount: BigInt(index + 1) },
      })),
    },
  ]);
  // Every second one equals a movement, the others are larger than all of them.
  const lines = Array.from({ length: rows }, (_, index) =>
    index % 2 === 0 ? index / 2 + 1 : 1_000_000 + index,
  );
  const text = lines.map((amount) => `${hash},${OWN},${COIN},${amount}`).join('\n');
  const outcomes = await reconcile(world.db, author, {
    ...{ ...LEDGER, to: new Date(START + 1), text: `hash,address,asset_gid,amount_raw\n${text}` },
  });
  const counts = new Map<string, number>();
  for (const { class: name, line } of outcomes)
    if (line !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  // More than 20,000 rows are not compared.
  expect(Object.fromEntries(counts)).toEqual({
    matched: transfers,
    duplicate: 17_000,
    missing_on_chain: 5_000,
  });
}, 120_000);

it('a reconciliation that cannot be matched is given up, and others go on', async () => {
  const id = await upload(world.db, author, writeLedger());
  const other = await upload(
    world.db,
    otherAuthor,
    `hash,address,asset_gid,amount_raw\n${hashOf(1)},${OWN},${COIN},1`,
  );
  await world.db.query(
    `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / 0; RETURN NULL; END $$;
     CREATE TRIGGER spoil BEFORE UPDATE ON reconciliation_rows FOR EACH ROW WHEN (NEW.line = 5000) EXECUTE FUNCTION spoil()`,
  );
  const stop = startReconciling({ db: world.db, logger, pauseMs: 10 });
  // It waits longer after each failure.
  const hurry = setInterval(
    () =>
      void world.db.query(
        "UPDATE reconciliations SET served_at = served_at - interval '20 s' WHERE failure_count > 0",
      ),
    50,
  );
  await waitFor(async () => (await statusOf(id)) === 'failed' && (await statusOf(other)) === 'completed', {
    timeoutMs: 60_000,
  });
  clearInterval(hurry);
  await stop();
  await world.db.query('DROP TRIGGER spoil ON reconciliation_rows; DROP FUNCTION spoil()');
  const { body } = await world.api.get(`/reconciliations/${id}`).expect(200);
  expect(body.error).toBe('The ledger could not be matched. Upload it in smaller parts.');
}, 120_000);
