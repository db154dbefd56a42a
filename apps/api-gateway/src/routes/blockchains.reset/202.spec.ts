// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:1';

describe('POST /blockchains/:chain_gid/actions/reset', () => {
  let world: SpecWorld;
  const ask = (body: object, chain = gid) => world.api.post(`/blockchains/${chain}/actions/reset`).send(body);
  const readResets = async () =>
    (await world.db.query('SELECT chain_gid, status, from_block FROM resets ORDER BY created_at')).rows;
  const finish = () => world.db.query(`UPDATE resets SET status = 'done'`);
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain of [gid, 'eip155:137'])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  });
  afterEach(finish);
  afterAll(() => world.stop());

  it('202: writes down what is given up, with an entry in the audit log', async () => {
    const { body } = await ask({ confirm: gid }).expect(202);
    expect(body).toEqual({
      id: expect.any(String),
      chain_gid: gid,
      status: 'running',
      from_block: null,
      created_at: expect.any(String),
    });
    expect(await readResets()).toEqual([{ chain_gid: gid, status: 'running', from_block: null }]);
    await finish();
    const second = await ask({ confirm: gid, from_block: 100 }).expect(202);
    expect(second.body.from_block).toBe(100);
    const { body: log } = await world.management.get('/management/audit_logs?target_types=reset').expect(200);
    expect(log.items).toMatchObject([
      {
        action: 'reset.requested',
        target: { type: 'reset', id: second.body.id },
        changes: { chain_gid: { from: null, to: gid }, from_block: { from: null, to: 100 } },
      },
      {
        action: 'reset.requested',
        target: { type: 'reset', id: body.id },
        changes: { chain_gid: { from: null, to: gid } },
      },
    ]);
  });

  it('202: tells the ingestors, and waits for the activation of a chain that is not active', async () => {
    world.published.length = 0;
    await ask({ confirm: 'eip155:137', from_block: 0 }, 'eip155:137').expect(202);
    expect(world.published).toEqual([
      {
        kind: 'chain.changed',
        tokens: ['eip155:137'],
        payload: { schema: 1, chain_gid: 'eip155:137' },
      },
    ]);
    expect(await readResets()).toContainEqual({ chain_gid: 'eip155:137', status: 'running', from_block: 0 });
  });

  it('409: while one runs on the chain, on another one none does', async () => {
    await ask({ confirm: gid }).expect(202);
    const { body } = await ask({ confirm: gid, from_block: 5 }).expect(409);
    expect(body.detail).toContain('being reset already');
    await ask({ confirm: 'eip155:137' }, 'eip155:137').expect(202);
  });

  it('202 and 409: of two at once one begins', async () => {
    const answers = await Promise.all([ask({ confirm: gid }), ask({ confirm: gid })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await readResets()).filter(({ status }) => status === 'running')).toHaveLength(1);
  });

  it.each([
    [{}, 'confirm'],
    [{ confirm: 'eip155:137' }, 'confirm'],
    [{ confirm: true }, 'confirm'],
    [{ confirm: gid, from_block: -1 }, 'from_block'],
    [{ confirm: gid, from_block: '5' }, 'from_block'],
    [{ confirm: gid, to_block: 5 }, 'to_block'],
  ])('400: %j', async (body, name) => {
    expect((await ask(body).expect(400)).body.fields[0].name).toBe(name);
    expect(await readResets()).not.toContainEqual(expect.objectContaining({ status: 'running' }));
  });

  it('404: a chain that is not here', async () => {
    await ask({ confirm: 'eip155:42161' }, 'eip155:42161').expect(404);
  });

  it("403: keys of other workspaces than the operator's", async () => {
    await world.other.post(`/blockchains/${gid}/actions/reset`).send({ confirm: gid }).expect(403);
    expect(await readResets()).not.toContainEqual(expect.objectContaining({ status: 'running' }));
  });
});
