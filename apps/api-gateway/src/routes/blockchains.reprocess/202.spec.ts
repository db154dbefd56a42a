// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:1';

describe('POST /blockchains/:chain_gid/actions/reprocess', () => {
  let world: SpecWorld;
  const ask = (body: object, chain = gid) =>
    world.api.post(`/blockchains/${chain}/actions/reprocess`).send(body);
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain of [gid, 'eip155:137', 'eip155:10'])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.db.query(`UPDATE blockchains SET is_active = true WHERE gid <> 'eip155:137'`);
    await world.db.query('INSERT INTO ingestor_states (chain_gid, start_number) VALUES ($1, 100)', [gid]);
    await world.db.query('INSERT INTO analyzer_states (chain_gid, cursor_number) VALUES ($1, 200)', [gid]);
  });
  afterAll(() => world.stop());

  it('202: writes down what is to be done, with an entry in the audit log; 409 until that is done', async () => {
    const { body } = await ask({ from_block: 100, to_block: 200 }).expect(202);
    expect(body).toEqual({
      id: expect.any(String),
      chain_gid: gid,
      status: 'running',
      from_block: 100,
      to_block: 200,
      next_block: 100,
      created_at: expect.any(String),
    });
    await ask({ from_block: 150, to_block: 160 }).expect(409);
    const { body: log } = await world.management
      .get('/management/audit_logs?target_types=reprocess')
      .expect(200);
    expect(log.items).toMatchObject([
      {
        action: 'reprocess.requested',
        target: { id: body.id },
        changes: {
          chain_gid: { from: null, to: gid },
          from_block: { from: null, to: 100 },
          to_block: { from: null, to: 200 },
        },
      },
    ]);
    await world.db.query(`UPDATE reprocesses SET status = 'done'`);
    await ask({ from_block: 150, to_block: 150 }).expect(202);
    await world.db.query(`UPDATE reprocesses SET status = 'done'`);
  });

  it.each([
    [{ from_block: 99, to_block: 120 }, 'from_block'],
    [{ from_block: 121, to_block: 120 }, 'from_block'],
    [{ from_block: 120, to_block: 201 }, 'to_block'],
    [{ from_block: -1, to_block: 120 }, 'from_block'],
    [{ from_block: 120 }, 'to_block'],
    [{ from_block: '120', to_block: 121 }, 'from_block'],
  ])('400: %j', async (body, name) => {
    expect((await ask(body).expect(400)).body.fields[0].name).toBe(name);
  });

  it('400 where nothing was processed, 404 for a chain that is not here, 422 for one that is not active', async () => {
    await ask({ from_block: 0, to_block: 1 }, 'eip155:10').expect(400);
    await ask({ from_block: 0, to_block: 1 }, 'eip155:42161').expect(404);
    await ask({ from_block: 0, to_block: 1 }, 'eip155:137').expect(422);
  });

  it("403: keys of other workspaces than the operator's", async () => {
    await world.other
      .post(`/blockchains/${gid}/actions/reprocess`)
      .send({ from_block: 100, to_block: 101 })
      .expect(403);
    expect((await world.db.query(`SELECT FROM reprocesses WHERE status = 'running'`)).rowCount).toBe(0);
  });
});
