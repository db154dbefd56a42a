// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:1';

describe('POST /blockchains/:chain_gid/incidents/:incident_id/actions/accept', () => {
  let world: SpecWorld;
  const insert = async (kind: string, status = 'open'): Promise<string> => {
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got) VALUES ($1, $2, $3, 1, '0x1', 'x', 'y') RETURNING id`,
      [gid, kind, status],
    );
    return rows[0]!.id;
  };
  const accept = (id: string, chain = gid) =>
    world.api.post(`/blockchains/${chain}/incidents/${id}/actions/accept`);
  const entries = async () =>
    (await world.management.get('/management/audit_logs?actions=incident.accepted').expect(200)).body.items;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const chain of [gid, 'eip155:137'])
      await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  });
  afterAll(() => world.stop());

  it('200: once, with an entry in the audit log and a hint to the services', async () => {
    const id = await insert('a');
    const hints = world.published.length;
    const { body } = await accept(id).expect(200);
    expect(body).toMatchObject({ id, status: 'accepted', accepted_at: expect.any(String) });
    expect((await accept(id).expect(200)).body).toEqual(body);
    expect(world.published[hints]).toEqual({
      kind: 'chain.changed',
      tokens: [gid],
      payload: { schema: 1, chain_gid: gid },
    });
    expect(await entries()).toMatchObject([
      {
        action: 'incident.accepted',
        target: { type: 'incident', id },
        changes: { status: { from: 'open', to: 'accepted' } },
      },
    ]);
  });

  it('404: an incident that is not there, or of another chain', async () => {
    await accept('00000000-0000-4000-8000-000000000000').expect(404);
    const id = await insert('b');
    await accept(id, 'eip155:137').expect(404);
    await accept(id, 'eip155:10').expect(404);
    expect(await world.db.query('SELECT status FROM incidents WHERE id = $1', [id])).toMatchObject({
      rows: [{ status: 'open' }],
    });
  });

  it('409: one that is resolved', async () => {
    await accept(await insert('c', 'resolved')).expect(409);
  });

  it("403: keys of other workspaces than the operator's", async () => {
    const before = await entries();
    const id = await insert('d');
    await world.other.post(`/blockchains/${gid}/incidents/${id}/actions/accept`).expect(403);
    expect(await world.db.query('SELECT status FROM incidents WHERE id = $1', [id])).toMatchObject({
      rows: [{ status: 'open' }],
    });
    expect(await entries()).toEqual(before);
  });
});
