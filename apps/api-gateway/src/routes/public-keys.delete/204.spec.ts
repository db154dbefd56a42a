// SPDX-License-Identifier: Apache-2.0
import { accounts, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('DELETE /public_keys/{id}', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const add = async (): Promise<string> =>
    (await world.api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201)).body.id;

  it('deletes a key without addresses', async () => {
    const id = await add();
    expect((await world.api.delete(`/public_keys/${id}`).expect(204)).text).toBe('');
    await world.api.delete(`/public_keys/${id}`).expect(404);
    await world.api.get(`/public_keys/${id}`).expect(404);
  });

  it('keeps one with addresses, unless told to delete these too', async () => {
    const id = await add();
    await world.api.post(`/public_keys/${id}/addresses`).send({ from: 0, to: 2 }).expect(201);
    await world.api
      .post('/addresses/external')
      .send({ value: accounts.bip44.first, chain_family: 'bitcoin' })
      .expect(201);
    for (const query of ['', '?cascade=false'])
      expect((await world.api.delete(`/public_keys/${id}${query}`).expect(409)).body.detail).toContain(
        'cascade=true',
      );
    await world.api.delete(`/public_keys/${id}?cascade=yes`).expect(400);
    world.published.length = 0;
    await world.api.delete(`/public_keys/${id}?cascade=true`).expect(204);
    const { body } = await world.api.get('/addresses').expect(200);
    expect(body.items.map(({ address }: { address: string }) => address)).toEqual([accounts.bip44.first]);
    expect(world.published.map(({ payload }) => payload)).toMatchObject([{ is_monitored: false, count: 3 }]);
    const log = await world.management.get('/management/audit_logs?actions=public_key.deleted').expect(200);
    expect(log.body.items[0]).toMatchObject({
      target: { type: 'public_key', id },
      changes: { addresses: { from: 3, to: null } },
    });
  });

  it('is possible once each address was deleted for good', async () => {
    const id = await add();
    const { body } = await world.api.post(`/public_keys/${id}/addresses/next`).expect(201);
    await world.api.delete(`/addresses/${body.address}`).expect(204);
    await world.api.delete(`/public_keys/${id}`).expect(204);
  });
});
