// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from '@chainwatch/sdk';
import { waitFor } from '@chainwatch/testing';
import { verifyStatement, type StatementKeys } from '@chainwatch/verify';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';

const MOVEMENTS = Number(process.env['STATEMENT_MOVEMENTS'] ?? 1_000_000);
const MOVEMENTS_OF_BLOCK = 500;
const MOVEMENTS_OF_INSERT = 50_000;
const MIB_MAX = 128;
/** What the gateway needs without any statement, and the room that a statement has. */
const HEAP_MIB = 256;
const CHAIN = 'eip155:31337';
const COIN = `${CHAIN}/slip44:60`;
const ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const STRANGER = `0x${'99'.repeat(20)}`;
const START = Date.parse('2026-10-01T00:00:00Z');

let stack: ApiStack;
let project: Bootstrap;
let keys: StatementKeys;
beforeAll(async () => {
  stack = await startApiStack({
    STATEMENT_KEY: randomBytes(32).toString('base64'),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  });
  project = await bootstrap(stack.db, { label: 'svc' });
  const client = createClient({ baseUrl: stack.apiUrl, apiKey: project.keys.api });
  await client.blockchains.create({ chain_gid: CHAIN });
  const { id } = await client.addresses.createExternal({ value: ADDRESS, chain_family: 'evm' });
  await generateHistory(id!);
  keys = (await (await fetch(new URL('/.well-known/chainwatch-keys', stack.apiUrl))).json()) as StatementKeys;
}, 1_800_000);
afterAll(() => stack.stop());

/** Rows as services write them, of a history that never was: a million transactions of a node would take a day. */
async function generateHistory(addressId: string): Promise<void> {
  const blocks = Math.ceil(MOVEMENTS / MOVEMENTS_OF_BLOCK);
  await stack.db.transaction(async (sql) => {
    await sql.query(`SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = '20min'`);
    await sql.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [CHAIN]);
    await sql.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, symbol, decimals) VALUES ($1, $2, 'slip44', '60', 'native', 'active', 'ETH', 18) ON CONFLICT DO NOTHING`,
      [COIN, CHAIN],
    );
    await sql.query(
      `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
       SELECT $1, n, md5('b' || n), md5('b' || n - 1), $2::timestamptz + n * interval '1 s', 'confirmed', 'proved' FROM generate_series(0, $3::int + 1) n`,
      [CHAIN, new Date(START), blocks],
    );
    await sql.query(
      'INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, $2, $2)',
      [CHAIN, blocks + 1],
    );
    await sql.query(
      `INSERT INTO address_watches (address_id, chain_gid, from_block) VALUES ($1, $2, 0) ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = 0`,
      [addressId, CHAIN],
    );
    for (const [block, amount] of [
      [0, 0],
      [blocks, MOVEMENTS],
    ])
      await sql.query(
        `INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4::bigint, md5('b' || $4::bigint), $5)`,
        [addressId, COIN, CHAIN, block, amount],
      );
    await sql.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4::bigint, md5('b' || $4::bigint), $5)`,
      [addressId, COIN, CHAIN, blocks, MOVEMENTS],
    );
    await sql.query(
      'CREATE TEMPORARY TABLE many ON COMMIT DROP AS SELECT gen_random_uuid() AS id, n, 1 + (n - 1) / $2::int AS block FROM generate_series(1, $1::int) n',
      [MOVEMENTS, MOVEMENTS_OF_BLOCK],
    );
    // In parts: a connection waits for no statement longer than it waits in a service.
    for (let first = 1; first <= MOVEMENTS; first += MOVEMENTS_OF_INSERT) {
      const part = [first, first + MOVEMENTS_OF_INSERT - 1];
      await sql.query(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, block_timestamp, tx_index, required_confirmations, verification)
         SELECT id, $1, $2, '0x' || md5(n::text) || md5('t' || n), 'confirmed', 'in', block, md5('b' || block), $3::timestamptz + block * interval '1 s', n % $4::int, 1, 'proved' FROM many WHERE n BETWEEN $5 AND $6`,
        [project.projectId, CHAIN, new Date(START), MOVEMENTS_OF_BLOCK, ...part],
      );
      await sql.query(
        'INSERT INTO transaction_addresses (address_id, transaction_id) SELECT $1, id FROM many WHERE n BETWEEN $2 AND $3',
        [addressId, ...part],
      );
      await sql.query(
        `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
         SELECT id, 0, $1, $2, 'native', $3, $4, $5, 1, '{}' FROM many WHERE n BETWEEN $6 AND $7`,
        [project.projectId, CHAIN, COIN, STRANGER, ADDRESS, ...part],
      );
    }
  });
  for (const table of ['transactions', 'transaction_addresses', 'transfers', 'blocks'])
    await stack.db.query(`ANALYZE ${table}`);
}

/** Resident memory of the gateway: its heap and everything beside it. */
function residentMib(): number {
  const status = readFileSync(`/proc/${stack.services.pid('api-gateway')}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024;
}

async function call<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(stack.apiUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': project.keys.api, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

interface Written {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly size: number;
}

/** Has it written, downloads it as a stream, and verifies it. */
async function writeAndVerify(to: Date): Promise<Awaited<ReturnType<typeof verifyStatement>>> {
  const { id } = await call<Written>('/statements', { addresses: [ADDRESS], from: new Date(START), to });
  const startedMs = Date.now();
  const { status, reason, size } = await waitFor(
    async () => {
      const found = await call<Written>(`/statements/${id}`);
      return ['completed', 'failed'].includes(found.status) ? found : undefined;
    },
    { timeoutMs: 1_800_000, intervalMs: 200 },
  );
  if (status !== 'completed') throw new Error(`expected a statement, got ${reason}`);
  const writtenMs = Date.now() - startedMs;
  const answer = await fetch(`${stack.apiUrl}/statements/${id}/download`, {
    headers: { 'x-api-key': project.keys.api },
  });
  const verified = await verifyStatement(answer.body!, { keys });
  process.stdout.write(
    `${verified.lines?.movements} movements: ${Math.round(size / 1_048_576)} MiB written in ${Math.round(writtenMs / 1_000)} s, verified in ${Math.round((Date.now() - startedMs - writtenMs) / 1_000)} s\n`,
  );
  return verified;
}

it(`${MOVEMENTS} movements are written, downloaded, and verified, in ${MIB_MAX} MiB of the gateway`, async () => {
  // Its code is loaded, and its connections are open.
  await writeAndVerify(new Date(START + 5_000));
  const before = residentMib();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMib());
  }, 200);
  const pid = stack.services.pid('api-gateway');
  const verified = await writeAndVerify(new Date('2026-11-01T00:00:00Z'));
  clearInterval(watch);
  process.stdout.write(
    `memory of the gateway: ${Math.round(before)} MiB, then at most ${Math.round(peak)} MiB\n`,
  );
  expect(verified).toMatchObject({
    isValid: true,
    lines: { movements: MOVEMENTS, balances: 1, unexplained: 0, unknown: 0 },
  });
  expect(stack.services.pid('api-gateway')).toBe(pid);
  expect(peak - before).toBeLessThan(MIB_MAX);
}, 3_600_000);
