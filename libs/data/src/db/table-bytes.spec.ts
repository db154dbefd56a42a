// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const ROWS = 20_000;
/** As the writer of statements collects them (apps/api-gateway/src/statements/statement-worker.ts). */
const PART_LENGTH = 524_288;
const ASSET = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const root = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/guides/sizing.md', root), 'utf8');

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres({ migrate: applyMigrations });
  db = createDatabase({ url: postgres.url, applicationName: 'table-bytes-spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

async function sizeOf(table: string): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    'SELECT pg_total_relation_size($1::regclass)::int AS bytes',
    [table],
  );
  return rows[0]!.bytes;
}

const told = (table: string): number =>
  Number(new RegExp(`\\| \`${table}\` \\| ([\\d,]+) \\|`).exec(page)![1]!.replaceAll(',', ''));

/** The page rounds, and rows differ. */
function expectAbout(bytes: number, onPage: number): void {
  expect(bytes / onPage).toBeGreaterThan(0.85);
  expect(bytes / onPage).toBeLessThan(1.15);
}

it('reconciliation_rows take what the page says, once they are matched', async () => {
  const hash = `'0x' || encode(sha256(n::text::bytea), 'hex')`;
  await db.query(
    `INSERT INTO reconciliation_rows (reconciliation_id, line, reference, chain_gid, hash, address, asset_gid, direction, amount_raw, time, transaction_id)
     SELECT $1, n, 'INV-2026-' || n, 'eip155:1', ${hash}, left(${hash}, 42), $2, 'in', n * 1000003::numeric, now(), gen_random_uuid()
     FROM generate_series(1, ${ROWS}) AS n`,
    [randomUUID(), ASSET],
  );
  await db.query(`UPDATE reconciliation_rows SET class = 'matched', chain_amount_raw = amount_raw`);
  expectAbout((await sizeOf('reconciliation_rows')) / ROWS, told('reconciliation_rows'));
});

it('event_keys take what the page says', async () => {
  const before = await sizeOf('event_keys');
  await db.query(
    `INSERT INTO event_keys (event_id, row_id) SELECT gen_random_uuid(), n FROM generate_series(1, ${ROWS}) AS n`,
  );
  expectAbout(((await sizeOf('event_keys')) - before) / ROWS, told('event_keys'));
});

it('statement_parts take what the page says', async () => {
  const { rows } = await db.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id), p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id)
     INSERT INTO statements (project_id, request, format, address_count) SELECT id, '{}', 'ndjson', 1 FROM p RETURNING id`,
  );
  let text = '';
  let index = 0;
  for (let line = 1; line <= ROWS; line += 1) {
    text += `${JSON.stringify(makeMovement(line))}\n`;
    if (text.length < PART_LENGTH && line < ROWS) continue;
    await db.query('INSERT INTO statement_parts (statement_id, index, bytes) VALUES ($1, $2, $3)', [
      ...[rows[0]!.id, index, gzipSync(text)],
    ]);
    index += 1;
    text = '';
  }
  expectAbout((await sizeOf('statement_parts')) / ROWS, told('statement_parts'));
});

/** As `MovementLine` of the statements. */
function makeMovement(line: number): object {
  const hex = (length: number): string => `0x${randomBytes(length).toString('hex')}`;
  const raw = randomBytes(4).readUInt32BE();
  return {
    ...{ type: 'movement', address: hex(20), chain_gid: 'eip155:1', asset_gid: ASSET, reason: 'transfer' },
    ...{ amount: (raw / 1e6).toFixed(6), amount_raw: String(raw), from: hex(20), to: hex(20) },
    ...{ block_number: 21_000_000 + line, block_hash: hex(32) },
    ...{ block_time: new Date(1_760_000_000_000 + line * 12_000).toISOString(), transaction_hash: hex(32) },
    ...{ transfer_index: line % 7, event_id: randomUUID(), verification: 'proved', status: 'confirmed' },
    is_counted: true,
  };
}

it('proofs in deliveries take what the page says', async () => {
  const [, ofEvm, ofOthers] =
    /\| an inline proof in it \| ([\d.]+) kB on EVM chains, ([\d.]+) kB on others \|/.exec(page)!;
  for (const [type, kilobytes] of [
    ['mpt', ofEvm],
    ['merkle', ofOthers],
    ['signed_merkle', ofOthers],
  ] as const) {
    const without = await sizeWith([null]);
    const withProofs = await sizeWith(readProofs(type));
    expectAbout((withProofs - without) / 2_000, Number(kilobytes) * 1_000);
  }
});

/** JSON as a delivery has it. */
function readProofs(type: string): string[] {
  const path = new URL(`libs/verify/vectors/${type}.json`, root);
  const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as {
    vectors: { readonly proof: object; readonly expected?: object }[];
  };
  return vectors.flatMap(({ proof, expected }) => (expected === undefined ? [] : [JSON.stringify(proof)]));
}

/** Of deliveries that have these proofs in turn. */
async function sizeWith(proofs: readonly (string | null)[]): Promise<number> {
  await db.query('TRUNCATE deliveries, delivery_attempts');
  await db.query(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id),
       p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id),
       c AS (INSERT INTO notification_channels (project_id, kind, name, config) SELECT id, 'webhook', 'w', '{}' FROM p RETURNING id, project_id)
     INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, proof)
     SELECT project_id, id, gen_random_uuid(), 'transaction.detected', 'delivered', ($1::text[])[1 + n % cardinality($1::text[])]
     FROM c, generate_series(1, 2000) AS n`,
    [proofs],
  );
  return sizeOf('deliveries');
}
