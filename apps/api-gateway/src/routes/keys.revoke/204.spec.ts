// SPDX-License-Identifier: Apache-2.0
import { hashApiKey } from '@chainwatch/common/api-key';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('DELETE /management/keys/{id}', () => {
  let world: SpecWorld;
  let replica: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    replica = await startSpecWorld({ sharing: world });
  });
  afterAll(async () => {
    await replica.stop();
    await world.stop();
  });
  const make = async (
    permissions = ['mgt:key:read', 'mgt:key:write'],
  ): Promise<{ id: string; key: string }> =>
    (
      await world.management
        .post('/management/keys')
        .send({ type: 'mgt', name: 'k', permissions })
        .expect(201)
    ).body;

  it('ends the key at once, here and in every replica that is told', async () => {
    const { id, key } = await make();
    for (const one of [world, replica]) await one.send('get', '/v1/version', key).expect(200);
    world.published.length = 0;
    expect((await world.management.delete(`/management/keys/${id}`).expect(204)).text).toBe('');
    await world.send('get', '/v1/version', key).expect(401);
    const key_hash = Buffer.from(hashApiKey(key)).toString('hex');
    expect(world.published).toEqual([
      { kind: 'key.revoked', tokens: [], payload: { schema: 1, key_id: id, key_hash } },
    ]);
    replica.deps.keys.revoke(key_hash);
    await replica.send('get', '/v1/version', key).expect(401);
    expect((await world.management.get(`/management/keys/${id}`).expect(200)).body).toMatchObject({
      status: 'revoked',
      revoked_at: expect.any(String),
    });
    expect(
      (await world.management.get('/management/keys?statuses=revoked').expect(200)).body.items,
    ).toMatchObject([{ id }]);
  });

  it('is one change, however often it is asked for', async () => {
    const { id } = await make();
    const answers = await Promise.all([1, 2, 3].map(() => world.management.delete(`/management/keys/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${id}&actions=key.revoked`)
      .expect(200);
    expect(log.items).toMatchObject([{ changes: { revoked_at: { from: null, to: expect.any(String) } } }]);
  });

  it('lets a key revoke itself', async () => {
    const { id, key } = await make();
    await world.send('delete', `/v1/management/keys/${id}`, key).expect(204);
    await world.send('delete', `/v1/management/keys/${id}`, key).expect(401);
  });

  it('lets a revoked key change nothing, where a replica was not told yet', async () => {
    const { id, key } = await make();
    await replica.send('get', '/v1/version', key).expect(200);
    await world.management.delete(`/management/keys/${id}`).expect(204);
    const { rows: before } = await world.db.query('SELECT count(*) AS keys FROM api_keys');
    await replica
      .send('post', '/v1/management/keys', key)
      .send({ type: 'rpc', name: 'late', permissions: ['rpc:evm:read'] })
      .expect(401);
    expect((await world.db.query('SELECT count(*) AS keys FROM api_keys')).rows).toEqual(before);
  });

  it('is 404 for a key that is not there', async () => {
    await world.management.delete('/management/keys/00000000-0000-4000-8000-000000000000').expect(404);
  });
});
