// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:1';
const bitcoin = 'bip122:000000000019d6689c085ae165831e93';

describe('POST /blockchains/:chain_gid/actions/skip', () => {
  let world: SpecWorld;
  const ask = (body: object, chain = gid) => world.api.post(`/blockchains/${chain}/actions/skip`).send(body);
  const readSkips = async () =>
    (await world.db.query('SELECT chain_gid, from_block::int, to_block::int FROM skips ORDER BY created_at'))
      .rows;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain of [gid, bitcoin])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.db.query(
      `INSERT INTO ingestor_states (chain_gid, head_number) SELECT gid, 5000 FROM blockchains
       ON CONFLICT (chain_gid) DO UPDATE SET head_number = 5000`,
    );
    await world.db.query(
      `INSERT INTO analyzer_states (chain_gid, cursor_number) SELECT gid, 99 FROM blockchains
       ON CONFLICT (chain_gid) DO UPDATE SET cursor_number = 99`,
    );
  });
  afterEach(() => world.db.query('DELETE FROM skips'));
  afterAll(() => world.stop());

  it('202: writes down which blocks, with an entry in the audit log, and tells the services', async () => {
    world.published.length = 0;
    const { body } = await ask({ from_block: 100, to_block: 102, confirm: gid }).expect(202);
    expect(body).toEqual({
      id: expect.any(String),
      chain_gid: gid,
      from_block: 100,
      to_block: 102,
      created_at: expect.any(String),
    });
    expect(await readSkips()).toEqual([{ chain_gid: gid, from_block: 100, to_block: 102 }]);
    const { body: log } = await world.management.get('/management/audit_logs?target_types=skip').expect(200);
    expect(log.items).toMatchObject([
      {
        action: 'skip.requested',
        target: { type: 'skip', id: body.id },
        changes: {
          chain_gid: { from: null, to: gid },
          from_block: { from: null, to: 100 },
          to_block: { from: null, to: 102 },
        },
      },
    ]);
    expect(world.published.map(({ kind, tokens }) => [kind, ...tokens])).toEqual([['chain.changed', gid]]);
  });

  it.each([
    [{}, 'from_block'],
    [{ from_block: 100, to_block: 102 }, 'confirm'],
    [{ from_block: 100, to_block: 102, confirm: 'eip155:137' }, 'confirm'],
    [{ from_block: 99, to_block: 102, confirm: gid }, 'from_block'],
    [{ from_block: 103, to_block: 102, confirm: gid }, 'from_block'],
    [{ from_block: 100, to_block: 5_001, confirm: gid }, 'to_block'],
    [{ from_block: 100, to_block: 1_100, confirm: gid }, 'to_block'],
    [{ from_block: 100, confirm: gid }, 'to_block'],
    [{ from_block: '100', to_block: 102, confirm: gid }, 'from_block'],
    [{ from_block: 100, to_block: 102, confirm: gid, force: true }, 'force'],
  ])('400: %j', async (body, name) => {
    expect((await ask(body).expect(400)).body.fields.map((field: { name: string }) => field.name)).toContain(
      name,
    );
    expect(await readSkips()).toEqual([]);
  });

  it('422: a chain whose balances are computed from its blocks', async () => {
    await ask({ from_block: 100, to_block: 102, confirm: bitcoin }, bitcoin).expect(422);
    expect(await readSkips()).toEqual([]);
  });

  it('404: a chain that is not here', async () => {
    await ask({ from_block: 1, to_block: 1, confirm: 'eip155:42161' }, 'eip155:42161').expect(404);
  });

  it("403: keys of other workspaces than the operator's", async () => {
    await world.other
      .post(`/blockchains/${gid}/actions/skip`)
      .send({ from_block: 100, to_block: 102, confirm: gid })
      .expect(403);
    expect(await readSkips()).toEqual([]);
  });
});
