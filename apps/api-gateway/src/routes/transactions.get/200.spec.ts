// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const HASH = `0x${'ab'.repeat(32)}`;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  for (const gid of ['eip155:1', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
}, 60_000);
afterAll(() => world.stop());

async function insert(chainGid: string, hash: string, projectId = world.project.projectId): Promise<string> {
  const id = randomUUID();
  await world.db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES ($1, $2, $3, $4, 'pending', 'in', 12)`,
    [id, projectId, chainGid, hash],
  );
  return id;
}

describe('a transaction', () => {
  it('is found by its id and by chain and hash, as in the list', async () => {
    const id = await insert('eip155:1', HASH);
    await insert('eip155:1', HASH, world.otherProject.projectId);
    const listed = (await world.api.get(`/transactions?hash=${HASH}`).expect(200)).body.items;
    expect(listed).toMatchObject([{ id, hash: HASH, chain_gid: 'eip155:1', transfers: [] }]);
    for (const path of [id, `eip155:1/${HASH}`, `eip155:1/${HASH.toUpperCase().replace('0X', '0x')}`])
      expect((await world.api.get(`/transactions/${path}`).expect(200)).body).toEqual(listed[0]);
  });

  it('of a chain whose hashes tell cases apart is the one that was asked for', async () => {
    const chain = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
    const ids = [await insert(chain, 'abC'), await insert(chain, 'abc')];
    for (const [index, hash] of ['abC', 'abc'].entries())
      expect((await world.api.get(`/transactions/${chain}/${hash}`).expect(200)).body.id).toBe(ids[index]);
    await world.api.get(`/transactions/${chain}/ABD`).expect(404);
  });

  it('that is not there is 404, and what is no id, chain or hash is 400', async () => {
    await world.api.get(`/transactions/${randomUUID()}`).expect(404);
    await world.api.get(`/transactions/eip155:10/${HASH}`).expect(404);
    for (const path of ['x', `x/${HASH}`, 'eip155:1/0x%27'])
      await world.api.get(`/transactions/${path}`).expect(400);
  });
});
