// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const GID = 'eip155:1';
const PATH = `/confirmation_policies/${GID}`;

describe('PUT /confirmation_policies/{chain_gid}', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const gid of [GID, 'bip122:000000000019d6689c085ae165831e93'])
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
  });
  afterAll(() => world.stop());
  const set = async (body: object, path = PATH) => (await world.api.put(path).send(body).expect(200)).body;

  it('says when transactions are confirmed, and changes it', async () => {
    const deep = await set({ type: 'depth', depth: 20 });
    expect(deep).toEqual({
      chain_gid: GID,
      type: 'depth',
      depth: 20,
      required_confirmations: 20,
      is_unsafe: false,
      chain_default: { type: 'finalized', depth: 12 },
      created_at: deep.created_at,
      updated_at: deep.updated_at,
    });
    expect((await world.api.get(PATH).expect(200)).body).toEqual(deep);
    const unsafe = await set({ type: 'depth', depth: 2, unsafe: true });
    expect(unsafe).toMatchObject({ depth: 2, is_unsafe: true, created_at: deep.created_at });
    expect(unsafe.updated_at >= deep.updated_at).toBe(true);
    const finalized = await set({ type: 'finalized' });
    expect(finalized).toMatchObject({ type: 'finalized', depth: null, required_confirmations: 12 });
    expect(await set({ type: 'depth', depth: 12 })).toMatchObject({ depth: 12, is_unsafe: false });
  });

  it('knows chains that go by depth, and is listed', async () => {
    const gid = 'bip122:000000000019d6689c085ae165831e93';
    const record = await set({ type: 'depth', depth: 6 }, `/confirmation_policies/${gid}`);
    expect(record).toMatchObject({
      chain_gid: gid,
      depth: 6,
      is_unsafe: false,
      chain_default: { type: 'depth', depth: 6 },
    });
    const { body } = await world.api.get('/confirmation_policies').expect(200);
    expect(body.items.map((item: { chain_gid: string }) => item.chain_gid)).toEqual([gid, GID]);
    expect(body.meta.total).toBe(2);
    const { body: one } = await world.api.get(`/confirmation_policies?chain_gids=${GID}`).expect(200);
    expect(one.items).toHaveLength(1);
  });

  it("is the project's own: others have theirs, and delete theirs", async () => {
    await set({ type: 'depth', depth: 30 });
    await world.other.get(PATH).expect(404);
    await world.other.delete(PATH).expect(404);
    await world.other.put(PATH).send({ type: 'depth', depth: 40 }).expect(200);
    expect((await world.api.get(PATH).expect(200)).body.depth).toBe(30);
    expect((await world.other.get('/confirmation_policies').expect(200)).body.items).toHaveLength(1);
    await world.api.delete(PATH).expect(204);
    await world.api.get(PATH).expect(404);
    await world.api.delete(PATH).expect(404);
    expect((await world.other.get(PATH).expect(200)).body.depth).toBe(40);
  });

  it('of 8 requests at once leaves one', async () => {
    const depths = [20, 21, 22, 23, 24, 25, 26, 27];
    await Promise.all(depths.map((depth) => set({ type: 'depth', depth })));
    expect(depths).toContain((await world.api.get(PATH).expect(200)).body.depth);
    expect(
      (
        await world.db.query('SELECT FROM confirmation_policies WHERE project_id = $1 AND chain_gid = $2', [
          world.project.projectId,
          GID,
        ])
      ).rows,
    ).toHaveLength(1);
  });
});
