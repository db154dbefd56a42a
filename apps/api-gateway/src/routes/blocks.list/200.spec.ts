// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('GET /blocks', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const gid of ['eip155:1', 'eip155:137'])
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query(
      `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification) VALUES
         ('eip155:1', 1, '0x1', '0x0', '2026-01-01T00:00:00Z', 'confirmed', NULL), ('eip155:1', 2, '0x2', '0x1', '2026-01-01T00:00:12Z', 'reorged', NULL),
         ('eip155:1', 2, '0x2b', '0x1', '2026-01-01T00:00:13Z', 'processed', 'attested'), ('eip155:1', 3, NULL, NULL, NULL, 'new', NULL),
         ('eip155:1', 9, '0x9', '0x8', NULL, 'reorged', NULL), ('eip155:137', 7, '0x7', '0x6', NULL, 'processed', NULL), ('eip155:137', 8, NULL, NULL, NULL, 'skipped', NULL)`,
    );
  });
  afterAll(() => world.stop());

  it.each([
    ['', [9, 7, 3, 2, 2, 1]],
    ['sort_by=number&limit=2', [1, 2]],
    ['chain_gids=eip155:137', [7]],
    ['statuses=new&statuses=confirmed', [3, 1]],
    ['statuses=skipped', [8]],
    ['from_block=2&to_block=3', [3, 2, 2]],
    ['sort_by=chain_gid&limit=1', [1]],
    ['sort_by=-status&statuses=processed,new&chain_gids=eip155:1', [2, 3]],
  ])('?%s → %j', async (query, numbers) => {
    const { body } = await world.api.get(`/blocks?${query}`).expect(200);
    expect(body.items.map(({ number }: { number: number }) => number)).toEqual(numbers);
  });

  it('shows the canonical block of a height, else the orphan', async () => {
    expect((await world.api.get('/blocks/eip155:1/2').expect(200)).body).toEqual({
      chain_gid: 'eip155:1',
      number: 2,
      hash: '0x2b',
      status: 'processed',
      parent_hash: '0x1',
      timestamp: '2026-01-01T00:00:13.000Z',
      verification: 'attested',
    });
    expect((await world.api.get('/blocks/eip155:1/3').expect(200)).body).toMatchObject({
      hash: null,
      status: 'new',
      timestamp: null,
      verification: null,
    });
    expect((await world.api.get('/blocks/eip155:1/9').expect(200)).body.status).toBe('reorged');
    await world.api.get('/blocks/eip155:1/4').expect(404);
    // A slot that the chain skipped has no block.
    await world.api.get('/blocks/eip155:137/8').expect(404);
    await world.api.get('/blocks/eip155:1/9007199254740991').expect(404);
    expect((await world.api.get('/blocks/eip155:1/-1').expect(400)).body.fields[0].name).toBe('block_number');
    await world.api.get('/blocks/eip155:1/9999999999999999').expect(400);
  });
});
