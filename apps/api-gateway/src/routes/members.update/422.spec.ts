// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('the last owner of a workspace', () => {
  let world: SpecWorld;
  let ann: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.otherManagement
      .post('/management/members')
      .send({ email: 'owner@example.com', role: 'owner' })
      .expect(201);
    await world.management
      .post('/management/members')
      .send({ email: 'admin@example.com', role: 'admin' })
      .expect(201);
    ann = (
      await world.management
        .post('/management/members')
        .send({ email: 'ann@example.com', role: 'owner' })
        .expect(201)
    ).body.id;
  });
  afterAll(() => world.stop());

  it('stays, and stays an owner', async () => {
    const { body } = await world.management.delete(`/management/members/${ann}`).expect(422);
    expect(body).toMatchObject({
      title: 'Unprocessable Entity',
      type: 'https://docs.example.com/apis/problems/unprocessable-entity',
    });
    await world.management.patch(`/management/members/${ann}`).send({ role: 'admin' }).expect(422);
    expect(
      (
        await world.management
          .patch(`/management/members/${ann}`)
          .send({ role: 'owner', email: 'anne@example.com' })
          .expect(200)
      ).body.role,
    ).toBe('owner');
    expect(
      (await world.management.get(`/management/audit_logs?target_ids=${ann}`).expect(200)).body.meta.total,
    ).toBe(2);
  });

  it('may go once another one is there; of two that go at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body: second } = await world.management
        .post('/management/members')
        .send({ email: `second-${round}@example.com`, role: 'owner' })
        .expect(201);
      const answers = await Promise.all([
        world.management.delete(`/management/members/${ann}`),
        world.management.patch(`/management/members/${second.id}`).send({ role: 'viewer' }),
      ]);
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(1);
      const { body: owners } = await world.management.get('/management/members?roles=owner').expect(200);
      expect(owners.items).toHaveLength(1);
      ann = owners.items[0].id;
    }
  });
});
