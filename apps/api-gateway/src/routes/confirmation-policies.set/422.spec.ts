// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const PATH = '/confirmation_policies/eip155:1';

describe('PUT /confirmation_policies/{chain_gid}', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
  });
  afterAll(() => world.stop());
  afterEach(async () => {
    expect((await world.db.query('SELECT FROM confirmation_policies')).rows).toEqual([]);
  });

  it.each([1, 11])(
    'refuses %d confirmations where 12 are usual, unless they are called unsafe',
    async (depth) => {
      for (const more of [{}, { unsafe: false }]) {
        const { body } = await world.api
          .put(PATH)
          .send({ type: 'depth', depth, ...more })
          .expect(422);
        expect(body.detail).toContain(`12 confirmations by default, got a depth of ${depth}`);
      }
    },
  );

  it.each([
    [{}, 'type'],
    [{ type: 'safe' }, 'type'],
    [{ type: 'depth' }, 'depth'],
    [{ type: 'depth', depth: 0, unsafe: true }, 'depth'],
    [{ type: 'depth', depth: 10_001 }, 'depth'],
    [{ type: 'depth', depth: 1.5, unsafe: true }, 'depth'],
    [{ type: 'depth', depth: '20' }, 'depth'],
    [{ type: 'depth', depth: 20, unsafe: 'yes' }, 'unsafe'],
    [{ type: 'finalized', depth: 20 }, 'depth'],
  ])('is 400 for %j', async (body, field) => {
    const { body: problem } = await world.api.put(PATH).send(body).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
  });

  it('is 404 for a chain that the service does not have', async () => {
    await world.api.put('/confirmation_policies/eip155:137').send({ type: 'finalized' }).expect(404);
    await world.api.get('/confirmation_policies/eip155:137').expect(404);
    await world.api.delete('/confirmation_policies/eip155:137').expect(404);
  });
});
