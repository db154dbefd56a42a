// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';
import { findByPrefix } from './handler.ts';

const gid = 'eip155:1';
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const ROWS = 100_000;

describe('a search by the first characters of a hash', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain_gid of [gid, solana])
      await world.api.post('/blockchains').send({ chain_gid }).expect(201);
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations)
       SELECT gen_random_uuid(), $1, $2, '0x' || encode(sha256(n::text::bytea), 'hex'), 'confirmed', 'in', 12 FROM generate_series(1, ${ROWS}) AS n`,
      [world.project.projectId, gid],
    );
    await world.db.query('ANALYZE transactions');
  });
  afterAll(() => world.stop());

  const find = async (text: string): Promise<string[]> =>
    (await world.api.get(`/search?q=${encodeURIComponent(text)}`).expect(200)).body.items.map(
      ({ title }: { title: string }) => title,
    );
  const add = async (hash: string, chainGid = solana): Promise<void> =>
    void (await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES ($1, $2, $3, $4, 'confirmed', 'in', 1)`,
      [randomUUID(), world.project.projectId, chainGid, hash],
    ));

  it('reads a range of the index of hashes, not the transactions of the project', async () => {
    const { sql, values } = findByPrefix(['0x5feceb']);
    const { rows } = await world.db.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql} LIMIT 8`, [
      world.project.projectId,
      values,
    ]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Scan using transactions_project_id_chain_gid_hash_key/);
    expect(plan).toMatch(/Index Cond: .*hash >= .*hash <= /);
    expect(plan).not.toContain('Seq Scan on transactions');
  });

  it('finds exactly those that begin so', async () => {
    const { rows } = await world.db.query<{ hash: string }>(
      `SELECT hash FROM transactions WHERE chain_gid = $1 ORDER BY id LIMIT 20`,
      [gid],
    );
    for (const { hash } of rows) {
      const { rows: wanted } = await world.db.query<{ hash: string }>(
        `SELECT hash FROM transactions WHERE left(hash, 8) = $1`,
        [hash.slice(0, 8)],
      );
      expect(new Set(await find(hash.slice(0, 8)))).toEqual(new Set(wanted.map((row) => row.hash)));
    }
  });

  it('keeps upper and lower case apart where a chain does, and finds what its last letters would end a range', async () => {
    const hashes = ['4vJ9zzzzzzzz', '4vJ9ZZZZZZZZZZZZ', '4vJ9yAbC1', '4vj9AbC1', '4vJ9' + 'z'.repeat(84)];
    for (const hash of hashes) await add(hash);
    expect(new Set(await find('4vJ9zzz'))).toEqual(new Set([hashes[0], hashes[4]]));
    expect(await find('4vJ9ZZ')).toEqual([hashes[1]]);
    expect(await find('4vJ9yA')).toEqual([hashes[2]]);
  });

  it('takes no sign of a pattern for one, and nothing shorter than six characters', async () => {
    expect(await find('0x5fe%')).toEqual([]);
    expect(await find('0x5fec_b')).toEqual([]);
    const { rows } = await world.db.query<{ hash: string }>('SELECT hash FROM transactions LIMIT 1');
    expect(await find(rows[0]!.hash.slice(0, 5))).toEqual([]);
    expect(await find(rows[0]!.hash.slice(0, 6))).not.toEqual([]);
  });
});
