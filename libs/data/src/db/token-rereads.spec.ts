// SPDX-License-Identifier: Apache-2.0
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { findPrismaDir, readMigrationNames } from './wait-for-schema.ts';
import { applyMigrations } from './migrate.ts';

const MIGRATION = '20261127050100_token_rereads';
const CHAIN = 'eip155:1';
const tokenOf = (name: string): string => `${CHAIN}/erc20:${name}`;
const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let postgres: PostgresHandle;
let url: string;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  url = await postgres.createDatabase();
  db = createDatabase({ url, applicationName: 'token-rereads-spec' });
  await migrateToTheOneBefore();
  await db.query(
    `INSERT INTO workspaces (id, name) VALUES ('${uuidOf(1)}', 'w');
     INSERT INTO projects (id, workspace_id, name) VALUES ('${uuidOf(2)}', '${uuidOf(1)}', 'p');
     INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ('${CHAIN}', 'evm', 'n', 's', '')`,
  );
});
afterEach(() => db.close());

/** Without the functions of this release: the rows stay as they are written. */
async function migrateToTheOneBefore(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'token-rereads-'));
  mkdirSync(join(dir, 'sql'));
  const before = readMigrationNames().filter((name) => name < MIGRATION);
  for (const name of before)
    cpSync(join(findPrismaDir(), 'migrations', name), join(dir, 'migrations', name), { recursive: true });
  await applyMigrations(url, dir);
  rmSync(dir, { recursive: true });
  expect(await columnsOf('assets')).not.toContain('is_reread_due');
}

async function columnsOf(table: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ name: string }>(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Tried often and due in an hour, as discovery left it. */
async function addToken(
  name: string,
  decimals: number | null,
  { status = 'active', type = 'fungible' } = {},
): Promise<void> {
  await db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals, attempt_count, next_attempt_at)
     VALUES ($1, $2, 'erc20', $3, $4, $5, $6, 3, now() + interval '1 hour')`,
    [tokenOf(name), CHAIN, name, type, status, decimals],
  );
}

async function archive(name: string): Promise<void> {
  await db.query(
    `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status, archived_at)
     VALUES ($1, $2, $3, 'erc20', $4, 'fungible', 'invalid', now())`,
    [uuidOf(2), tokenOf(name), CHAIN, name],
  );
}

interface Moved {
  readonly token: string;
  /** Whether it is an output to, or an input of, the project's own addresses. */
  readonly isOwn?: boolean;
}

async function addTransaction(
  id: string,
  amountMax: string | null,
  ...transfers: readonly Moved[]
): Promise<void> {
  await db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, required_confirmations, amount_max)
     VALUES ($1, $2, $3, $1::uuid::text, 'confirmed', 'in', 1, 1, $4)`,
    [id, uuidOf(2), CHAIN, amountMax],
  );
  for (const [index, { token, isOwn = true }] of transfers.entries())
    await db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
       VALUES ($1, $2, $3, $4, 'token', $5, 5, $6)`,
      [id, index, uuidOf(2), CHAIN, tokenOf(token), isOwn ? ['0xa'] : []],
    );
}

it('makes every active token due once, and no other: what it is, and its decimals', async () => {
  await addToken('zero', 0);
  await addToken('six', 6);
  await addToken('unsaid', null);
  // The release before stored 0 where a collection answered nothing, too.
  await addToken('collection', 0);
  await addToken('archived', 0);
  await archive('archived');
  await addToken('no-token', 0, { status: 'invalid' });
  await addToken('waiting', null, { status: 'unknown' });
  await addToken('coin', 0, { type: 'native' });
  expect((await applyMigrations(url, findPrismaDir())).applied).toContain(MIGRATION);

  const { rows } = await db.query<{ reference: string }>(
    `SELECT reference, is_reread_due AS due, attempt_count AS attempts, next_attempt_at <= now() AS now FROM assets ORDER BY reference`,
  );
  const asBefore = { due: false, attempts: 3, now: false };
  const due = { due: true, attempts: 0, now: true };
  expect(Object.fromEntries(rows.map(({ reference, ...row }) => [reference, row]))).toEqual({
    archived: due,
    coin: asBefore,
    collection: due,
    'no-token': asBefore,
    six: due,
    unsaid: due,
    waiting: asBefore,
    zero: due,
  });
  // A second start changes nothing of what was read meanwhile.
  await db.query('UPDATE assets SET is_reread_due = false, decimals = 0');
  await applyMigrations(url, findPrismaDir());
  expect((await db.query('SELECT FROM assets WHERE is_reread_due')).rowCount).toBe(0);
});

it('lets min_amount pass what is unknown, and leaves the other amounts', async () => {
  await addToken('unsaid', null);
  await addToken('waiting', null, { status: 'unknown' });
  await addToken('six', 6);
  await addToken('zero', 0);
  await addTransaction(uuidOf(10), null, { token: 'unsaid' });
  await addTransaction(uuidOf(11), '0.000005', { token: 'six' }, { token: 'unsaid' });
  await addTransaction(uuidOf(12), null, { token: 'waiting' });
  await addTransaction(uuidOf(13), '0.000005', { token: 'six' });
  await addTransaction(uuidOf(14), '5', { token: 'zero' });
  // The project pays others: its own change moved nothing, whatever it is.
  await addTransaction(uuidOf(15), '0.000005', { token: 'six', isOwn: false }, { token: 'unsaid' });
  await addTransaction(uuidOf(16), null, { token: 'unsaid', isOwn: false }, { token: 'six' });
  await addTransaction(uuidOf(17), null);
  await applyMigrations(url, findPrismaDir());

  const maxima = async (): Promise<readonly (string | null)[]> => {
    const { rows } = await db.query<{ max: string | null }>(
      'SELECT amount_max::text AS max FROM transactions ORDER BY id',
    );
    return rows.map(({ max }) => max);
  };
  const migrated = ['Infinity', 'Infinity', 'Infinity', '0.000005', '5', '0.000005', 'Infinity', null];
  expect(await maxima()).toEqual(migrated);
  // As the function says it for what is written from now on.
  await db.query('SELECT set_amount_max(ARRAY(SELECT id FROM transactions))');
  expect(await maxima()).toEqual(migrated);
});
