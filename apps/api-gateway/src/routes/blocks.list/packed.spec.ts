// SPDX-License-Identifier: Apache-2.0
import { createHash, randomInt } from 'node:crypto';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const CHAINS = ['eip155:1', 'eip155:137'];
const FIRST = 1_500;
const LAST = 6_000;
const FILTERS = [
  '',
  'chain_gids=eip155:1',
  'chain_gids=eip155:1,eip155:137',
  'statuses=confirmed',
  'statuses=skipped',
  'statuses=reorged,skipped,confirmed&chain_gids=eip155:137',
  'statuses=processed',
  'from_block=2047&to_block=4100',
  'from_block=3000&statuses=confirmed,skipped',
  'to_block=3333&chain_gids=eip155:1',
];
const SORTS = ['number', 'chain_gid', 'status'].flatMap((sort) => [sort, `-${sort}`]);

interface Answer {
  readonly items: unknown;
  readonly total: number;
  readonly cursor: string | null;
}

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  for (const gid of CHAINS) await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
  await world.db.query('SELECT 1');
  for (const gid of CHAINS) await writeHistory(gid);
});
afterAll(() => world.stop());

it('answers with packed blocks what it answered with rows: every filter, order, page, cursor, total and block', async () => {
  const pages = FILTERS.flatMap((filter) =>
    SORTS.flatMap((sort) =>
      [1, 2, 1 + randomInt(60)].map(
        (page) => `${filter}&sort_by=${sort}&limit=${1 + randomInt(100)}&page=${page}`,
      ),
    ),
  );
  const heights = Array.from({ length: 60 }, () => FIRST - 5 + randomInt(LAST - FIRST + 10));
  const before = new Map<string, Answer>();
  for (const query of pages) before.set(query, await list(query));
  const behind = new Map<string, Answer>();
  for (const [query, { cursor }] of before)
    if (cursor !== null) behind.set(query, await list(without(query, cursor)));
  const blocks = await readHeights(heights);
  await pack();
  const { rows } = await world.db.query<{ rows: number; packed: number }>(
    'SELECT (SELECT count(*) FROM blocks)::int AS rows, (SELECT sum(confirmed_count + skipped_count) FROM block_runs)::int AS packed',
  );
  expect(rows[0]!.packed).toBeGreaterThan(rows[0]!.rows);
  const shown = ({ items, total }: Answer): unknown => ({ items, total });
  for (const [query, answer] of before) {
    const after = await list(query);
    expect([query, shown(after)]).toEqual([query, shown(answer)]);
    expect(after.cursor === null).toBe(answer.cursor === null);
  }
  // A cursor from before the conversion goes on in the same place.
  for (const [query, answer] of behind)
    expect([query, shown(await list(without(query, before.get(query)!.cursor!)))]).toEqual([
      query,
      shown(answer),
    ]);
  expect(await readHeights(heights)).toEqual(blocks);
}, 240_000);

function without(query: string, cursor: string): string {
  return `${query.replace(/&page=\d+/, '')}&cursor=${encodeURIComponent(cursor)}`;
}

async function list(query: string): Promise<Answer> {
  const { body } = await world.api.get(`/blocks?${query}`).expect(200);
  return { items: body.items, total: body.meta.total, cursor: body.meta.next_cursor ?? null };
}

async function readHeights(heights: readonly number[]): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const number of heights)
    for (const gid of CHAINS) {
      const { status, body } = await world.api.get(`/blocks/${gid}/${number}`);
      all.push(status === 404 ? status : body);
    }
  return all;
}

/** Orphans, skipped heights, and times that do not fit. */
async function writeHistory(gid: string): Promise<void> {
  const hashOf = (text: string): string => `0x${createHash('sha256').update(`${gid} ${text}`).digest('hex')}`;
  let parent = hashOf('genesis');
  const rows: unknown[][] = [];
  for (let number = FIRST; number <= LAST; number += 1) {
    const chance = randomInt(100);
    if (chance < 3) {
      rows.push([number, null, null, null, 'skipped', null]);
      continue;
    }
    const hash = hashOf(String(number));
    const time = new Date(Date.UTC(2024, 0, 1) + number * 2_000)
      .toISOString()
      .replace('Z', chance === 4 ? '123Z' : 'Z');
    const verification = [null, 'proved', 'agreed', 'attested', 'trusted'][randomInt(5)];
    if (chance === 5) rows.push([number, hashOf(`orphan ${number}`), parent, time, 'reorged', null]);
    rows.push([number, hash, parent, time, number > LAST - 200 ? 'processed' : 'confirmed', verification]);
    parent = hash;
  }
  await world.db.query(
    `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])`,
    [gid, ...[0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column] ?? null))],
  );
  await world.db.query(
    `INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, $2, $3)
     ON CONFLICT (chain_gid) DO UPDATE SET cursor_number = $2, confirmed_number = $3`,
    [gid, LAST, LAST - 200],
  );
}

async function pack(): Promise<void> {
  for (const gid of CHAINS)
    for (;;) {
      const { rows } = await world.db.query('SELECT pack_next_blocks($1) AS packed', [gid]);
      if (rows[0].packed === null) break;
    }
}
