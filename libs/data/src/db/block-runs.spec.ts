// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomInt } from 'node:crypto';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { applyMigrations } from './migrate.ts';

const EVM = 'eip155:1';
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VERIFICATIONS = [null, 'proved', 'agreed', 'attested', 'trusted'];
const FIRST = 5_000;
const LAST = 9_999;

interface BlockRow {
  readonly id: string;
  readonly chain_gid: string;
  readonly number: number;
  readonly hash: string | null;
  readonly parent_hash: string | null;
  readonly block_timestamp: string | null;
  readonly status: string;
  readonly verification: string | null;
}

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres({ migrate: applyMigrations });
});
beforeEach(async () => {
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'block-runs-spec' });
  await db.query(`DELETE FROM owner_beats`).catch(() => undefined);
  for (const [gid, family] of [
    [EVM, 'evm'],
    [BITCOIN, 'bitcoin'],
    [SOLANA, 'solana'],
  ])
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, $2, $1, $1, '')`,
      [gid, family],
    );
});
afterEach(() => db.close());
afterAll(() => postgres.stop());

describe('block_runs', () => {
  it.each([EVM, BITCOIN, SOLANA])(
    'tell every row of a random history of %s as it was, in totals too',
    async (gid) => {
      await writeHistory(gid);
      await writeHistory(gid === EVM ? BITCOIN : EVM);
      const before = await readAll();
      const totals = await readTotals();
      expect(await packAll(gid)).toBeGreaterThan(2_500);
      expect(await countRows(gid)).toBeLessThan(2_400);
      expect(await readAll()).toEqual(before);
      expect(await readTotals()).toEqual(totals);
      expect(await packAll(gid)).toBe(0);
    },
  );

  it('are an oracle of the same rows while blocks are packed and unpacked at random', async () => {
    for (const gid of [EVM, SOLANA]) await writeHistory(gid);
    const before = await readAll();
    const totals = await readTotals();
    for (let round = 0; round < 60; round++) {
      const gid = randomInt(2) === 0 ? EVM : SOLANA;
      const from = randomInt(FIRST - 100, LAST);
      if (randomInt(3) === 0)
        await db.query('SELECT unpack_blocks($1, $2, $3)', [gid, from, from + randomInt(1_500)]);
      else await db.query('SELECT pack_next_blocks($1)', [gid]);
      const canonical = before.filter(
        (row) => row.chain_gid === gid && row.status !== 'reorged' && row.hash !== null,
      );
      const { rows } = await db.query('SELECT number, hash FROM canonical_blocks($1, $2, $3, $4)', [
        gid,
        from,
        from + 700,
        40,
      ]);
      expect(rows).toEqual(
        canonical
          .filter(({ number }) => number >= from && number <= from + 700)
          .slice(0, 40)
          .map(({ number, hash }) => ({ number, hash })),
      );
      const last = await db.query('SELECT number, hash, parent_hash FROM last_canonical_block($1, $2)', [
        gid,
        from,
      ]);
      expect(last.rows).toEqual(
        canonical
          .filter(({ number }) => number <= from)
          .slice(-1)
          .map(({ number, hash, parent_hash }) => ({ number, hash, parent_hash })),
      );
      if (round % 10 === 9) {
        expect(await readAll()).toEqual(before);
        expect(await readTotals()).toEqual(totals);
      }
    }
    await db.query('CALL unpack_all_blocks()');
    expect((await db.query('SELECT FROM block_runs')).rowCount).toBe(0);
    expect(await readAll()).toEqual(before);
    expect(await readTotals()).toEqual(totals);
  });

  it('leave what is not final, what something refers to, and what is not proved yet', async () => {
    await writeHistory(EVM);
    const rows = (await readAll()).filter(({ status }) => status === 'confirmed');
    const [told, asked, doubted, set] = rows.filter(({ number }) => number > 6_200).map(({ hash }) => hash);
    await db.query(
      `INSERT INTO unproved_transactions (chain_gid, block_number, block_hash, hash, endpoint, digest, verdict, incident_ids) VALUES ($1, 1, $2, 'x', '', '', 'waiting', '{}')`,
      [EVM, told],
    );
    await db.query(
      `INSERT INTO balance_reads (chain_gid, block_number, block_hash, reason, asset_gid) SELECT $1, 1, $2, 'detected', 'a'`,
      [EVM, asked],
    );
    await db.query(`UPDATE blocks SET verification = 'unproved' WHERE hash = $1`, [doubted]);
    await db.query(`UPDATE blocks SET verification = 'settling' WHERE hash = $1`, [set]);
    const before = await readAll();
    await packAll(EVM);
    const left = await db.query<{ hash: string }>('SELECT hash FROM blocks WHERE hash = ANY($1)', [
      [told, asked, doubted, set],
    ]);
    expect(left.rowCount).toBe(4);
    expect((await db.query('SELECT FROM blocks WHERE number >= 8192')).rowCount).toBeGreaterThan(1_800);
    expect(await readAll()).toEqual(before);
  });

  it('go on where a conversion was killed, which left nothing half done', async () => {
    await writeHistory(EVM);
    const before = await readAll();
    await db.query('SELECT pack_next_blocks($1)', [EVM]);
    const rowCount = await countRows(EVM);
    const killed = db.transaction(async (sql) => {
      await sql.query('SELECT pack_next_blocks($1)', [EVM]);
      await sql.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(killed).rejects.toThrow();
    expect(await countRows(EVM)).toBe(rowCount);
    expect(await readAll()).toEqual(before);
    expect(await packAll(EVM)).toBeGreaterThan(1_000);
    expect(await readAll()).toEqual(before);
  });

  it('take the place of a block that is gone from a run again', async () => {
    await writeHistory(EVM);
    await packAll(EVM);
    const before = await readAll();
    const packed = await packedOf(EVM);
    const block = packed[randomInt(packed.length)];
    await db.query('SELECT unpack_blocks($1, $2, $2)', [EVM, block!.number]);
    expect((await db.query('SELECT FROM blocks WHERE id = $1', [block!.id])).rowCount).toBe(1);
    expect(await readAll()).toEqual(before);
    expect(await packAll(EVM)).toBeGreaterThan(0);
    expect((await db.query('SELECT FROM blocks WHERE id = $1', [block!.id])).rowCount).toBe(0);
    expect(await readAll()).toEqual(before);
  });

  it('are not made while a process of a former release lives, nor within a minute', async () => {
    await writeHistory(EVM);
    const pack = async (): Promise<unknown> =>
      (await db.query('SELECT pack_next_blocks($1) AS packed', [EVM])).rows[0].packed;
    const beat = (ago: number, level: number): Promise<unknown> =>
      db.query(
        `INSERT INTO owner_beats (kind, owner, ready, declined, beat_until, reads_level) VALUES ('analyzer', gen_random_uuid(), '{}', '{}', now() - $1 * interval '1 s', $2)`,
        [ago, level],
      );
    await beat(30, 0);
    expect(await pack()).toBeNull();
    await db.query('DELETE FROM owner_beats');
    await db.query('SELECT fold_list_counts(100)');
    expect(await pack()).toBeNull();
    await db.query('DELETE FROM owner_beats');
    await db.query('SELECT fold_totals(100)');
    await beat(61, 0);
    await beat(-5, 1);
    expect(await pack()).toBeGreaterThan(0);
  });

  it('leave the heights as they are of which the run would tell something else, and go on with the next', async () => {
    await writeHistory(EVM);
    const before = await readAll();
    await packAll(EVM);
    const block = (await packedOf(EVM)).find(({ number }) => number > 5_500)!;
    await db.query('CALL unpack_all_blocks()');
    await db.query(
      `CREATE OR REPLACE FUNCTION unpack_block_hash(form integer, bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
         SELECT CASE encode(bytes, 'hex') WHEN '${block.hash!.slice(2)}' THEN 'lie' ELSE '0x' || encode(bytes, 'hex') END $$`,
    );
    await packAll(EVM);
    const { rows } = await db.query('SELECT first_number FROM block_runs ORDER BY 1');
    expect(rows.map((row) => row.first_number)).toEqual([4_096, 6_144, 7_168]);
    expect(await readAll()).toEqual(before);
  });

  it('go with their chain', async () => {
    await writeHistory(EVM);
    await packAll(EVM);
    await db.query('DELETE FROM blockchains WHERE gid = $1', [EVM]);
    expect((await db.query('SELECT FROM block_runs')).rowCount).toBe(0);
    expect(await readTotals()).toEqual([]);
  });

  it('take at most 48 bytes a block', async () => {
    await db.query(
      `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
       SELECT $1, n, h(n), h(n - 1), '2024-01-01'::timestamptz + n * interval '12 s', 'confirmed', 'proved' FROM generate_series(0, 250000) AS n,
       LATERAL (SELECT 1) o`.replaceAll(
        /h\((n - 1|n)\)/g,
        (_, n: string) => `'0x' || encode(sha256(int8send(${n})), 'hex')`,
      ),
      [EVM],
    );
    await confirm(EVM, 250_000);
    await packAll(EVM);
    await db.query('VACUUM ANALYZE block_runs');
    const { rows } = await db.query<{ blocks: number; bytes: number }>(
      `SELECT sum(confirmed_count)::int AS blocks, (SELECT sum(pg_total_relation_size(c)) FROM unnest('{block_runs,block_packing}'::regclass[]) c)::int AS bytes FROM block_runs`,
    );
    const { blocks, bytes } = rows[0]!;
    expect(blocks).toBeGreaterThanOrEqual(200_000);
    expect(bytes / blocks).toBeLessThanOrEqual(48);
  }, 120_000);
});

describe('to_base58', () => {
  it('writes 32 bytes as Solana does, and reads them back', async () => {
    const all = [
      Buffer.alloc(32),
      Buffer.alloc(32, 255),
      ...Array.from({ length: 50 }, () => randomBytes(32)),
    ];
    all.push(Buffer.concat([Buffer.alloc(3), randomBytes(29)]));
    const { rows } = await db.query(
      'SELECT to_base58(b) AS text, from_base58(to_base58(b)) = b AS is_same FROM unnest($1::bytea[]) WITH ORDINALITY AS t (b, n) ORDER BY n',
      [all],
    );
    expect(rows).toEqual(all.map((bytes) => ({ text: toBase58(bytes), is_same: true })));
  });
});

/** Confirmed up to 1,000 below the last block; with orphans, holes, odd values, and skipped slots on Solana. */
async function writeHistory(gid: string): Promise<void> {
  let parent = makeHash(gid);
  let time = Date.UTC(2024, 0, 1);
  const rows: unknown[][] = [];
  for (let number = FIRST; number <= LAST; number++) {
    const kind = randomInt(100);
    if (gid === SOLANA && (kind < 6 || (number > 6_500 && number < 6_560))) {
      rows.push([number, null, null, null, 'skipped', null]);
      continue;
    }
    const hash = kind === 99 ? `odd ${gid} ${number}` : makeHash(gid);
    time += randomInt(15) * 1_000;
    const at = kind === 98 ? null : new Date(kind === 97 ? time + 1 : time).toISOString();
    const isFinal = number <= LAST - 500;
    const verification = VERIFICATIONS[randomInt(VERIFICATIONS.length)];
    if (kind < 2) rows.push([number, makeHash(gid), parent, at, 'reorged', verification]);
    rows.push([
      number,
      hash,
      kind === 96 ? null : parent,
      kind === 95 ? at?.replace('Z', '123Z') : at,
      isFinal ? 'confirmed' : 'processed',
      verification,
    ]);
    if (kind === 94) rows.at(-1)![2] = makeHash(gid);
    parent = hash;
  }
  await db.query(
    `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])`,
    [gid, ...[0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column] ?? null))],
  );
  await confirm(gid, LAST - 500);
}

async function confirm(gid: string, number: number): Promise<void> {
  await db.query(
    'INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, $2, $2)',
    [gid, number],
  );
}

function makeHash(gid: string): string {
  const bytes = randomBytes(32);
  if (gid === SOLANA) return toBase58(bytes);
  return gid === EVM ? `0x${bytes.toString('hex')}` : bytes.toString('hex');
}

function toBase58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = DIGITS[Number(rest % 58n)]! + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? 32 : zeros) + text;
}

async function packAll(gid: string): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await db.query<{ packed: number | null }>('SELECT pack_next_blocks($1) AS packed', [
      gid,
    ]);
    const { packed } = rows[0]!;
    if (packed === null) return total;
    total += packed;
  }
}

async function packedOf(gid: string): Promise<readonly BlockRow[]> {
  return (await db.query<BlockRow>('SELECT * FROM packed_blocks($1, 0, 1000000)', [gid])).rows;
}

async function countRows(gid: string): Promise<number> {
  return (await db.query('SELECT FROM blocks WHERE chain_gid = $1', [gid])).rowCount ?? 0;
}

/** Rows and packed blocks of all chains. */
async function readAll(): Promise<readonly BlockRow[]> {
  const columns = 'id, chain_gid, number, hash, parent_hash, block_timestamp::text, status, verification';
  const { rows } = await db.query<BlockRow>(
    `SELECT ${columns} FROM (SELECT ${columns.replace('::text', '')} FROM blocks
       UNION ALL SELECT p.* FROM blockchains c, packed_blocks(c.gid, 0, 1000000) p) b ORDER BY chain_gid, number, id`,
  );
  return rows;
}

/** As the database keeps them, after asserting that they are what counting gives. */
async function readTotals(): Promise<readonly unknown[]> {
  const text = (from: string): string =>
    `SELECT key, sum(count)::int AS count FROM ${from} WHERE list = 'blocks' GROUP BY key HAVING sum(count) <> 0 ORDER BY key`;
  const { rows } = await db.query(
    text('(SELECT list, key, count FROM list_counts UNION ALL SELECT list, key, count FROM list_changes) l'),
  );
  expect((await db.query(text('actual_list_counts()'))).rows).toEqual(rows);
  return rows;
}
