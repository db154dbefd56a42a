// SPDX-License-Identifier: Apache-2.0
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { findPrismaDir, readMigrationNames } from './wait-for-schema.ts';
import { applyMigrations } from './migrate.ts';

const MIGRATION = '20261128050000_maturity';
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const OTHER = 'eip155:1';
const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
afterEach(() => db.close());

it('gives the coinbases of earlier releases their maturity, in every project, and no other transaction', async () => {
  const url = await postgres.createDatabase();
  db = createDatabase({ url, applicationName: 'maturity-spec' });
  const dir = mkdtempSync(join(tmpdir(), 'maturity-'));
  mkdirSync(join(dir, 'sql'));
  for (const name of readMigrationNames().filter((each) => each < MIGRATION))
    cpSync(join(findPrismaDir(), 'migrations', name), join(dir, 'migrations', name), { recursive: true });
  await applyMigrations(url, dir);
  rmSync(dir, { recursive: true });
  const projects = [uuidOf(2), uuidOf(3)] as const;
  await db.query(
    `INSERT INTO workspaces (id, name) VALUES ('${uuidOf(1)}', 'w');
     INSERT INTO projects (id, workspace_id, name) SELECT id, '${uuidOf(1)}', 'p' FROM unnest('{${projects.join()}}'::uuid[]) AS id;
     INSERT INTO addresses (id, project_id, kind, chain_family, address, display, format)
       SELECT gen_random_uuid(), id, 'external', 'bitcoin', 'alice', 'alice', 'p2wpkh' FROM unnest('{${projects.join()}}'::uuid[]) AS id;
     INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ('${BITCOIN}', 'bitcoin', 'n', 's', ''), ('${OTHER}', 'evm', 'm', 't', '');
     INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number)
       VALUES ('${BITCOIN}', 'coinbase', 0, 'alice', 1, true, 7), ('${BITCOIN}', 'gone', 0, 'alice', 1, true, 7), ('${BITCOIN}', 'payment', 0, 'alice', 1, false, 7);
     INSERT INTO unproved_coins (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
       VALUES ('${BITCOIN}', 'unproved', 0, 'alice', 1, true, 8, 'x')`,
  );
  const add = (hash: string, block: number, projectId: string, status = 'confirmed', chain = BITCOIN) =>
    db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, required_confirmations)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, 'in', $5, 6)`,
      [projectId, chain, hash, status, block],
    );
  for (const projectId of projects) await add('coinbase', 7, projectId);
  await add('unproved', 8, projects[0], 'detected');
  await add('payment', 7, projects[0]);
  await add('gone', 7, projects[0], 'reorged');
  await add('coinbase', 7, projects[0], 'confirmed', OTHER);
  expect((await applyMigrations(url, findPrismaDir())).applied).toContain(MIGRATION);
  const { rows } = await db.query(
    'SELECT hash, chain_gid = $1 AS "isBitcoin", matures_at_block AS at, count(*)::int FROM transactions GROUP BY 1, 2, 3 ORDER BY 1, 2',
    [BITCOIN],
  );
  expect(rows).toEqual([
    { hash: 'coinbase', isBitcoin: false, at: null, count: 1 },
    { hash: 'coinbase', isBitcoin: true, at: 107, count: 2 },
    { hash: 'gone', isBitcoin: true, at: null, count: 1 },
    { hash: 'payment', isBitcoin: true, at: null, count: 1 },
    { hash: 'unproved', isBitcoin: true, at: 108, count: 1 },
  ]);
});
