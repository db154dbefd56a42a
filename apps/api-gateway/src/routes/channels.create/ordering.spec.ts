// SPDX-License-Identifier: Apache-2.0
import { CHATS, KINDS } from '../../spec-support/channel-bodies.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it.each(Object.entries({ ...KINDS, ...CHATS }))(
  'a %s channel takes an order, shows it, and changes it',
  async (kind, body) => {
    const path = `/notification_channels/${kind}`;
    const { body: plain } = await world.api.post(path).send(body).expect(201);
    expect(plain.config).not.toHaveProperty('ordering');
    const { body: made } = await world.api
      .post(path)
      .send({ ...body, ordering: 'strict' })
      .expect(201);
    expect(made.config.ordering).toBe('strict');
    await world.api.patch(`${path}/${made.id}`).send({ ordering_key: 'address' }).expect(200);
    const { body: shown } = await world.api.get(`/notification_channels/${made.id}`).expect(200);
    expect(shown.config).toMatchObject({ ordering: 'strict', ordering_key: 'address' });
    const { body: listed } = await world.api.get('/notification_channels?limit=100').expect(200);
    expect(listed.items).toContainEqual(shown);
    await world.api.patch(`${path}/${made.id}`).send({ ordering: 'best_effort' }).expect(200);
    for (const refused of [{ ordering: 'fifo' }, { ordering_key: 'asset' }]) {
      const { body: problem } = await world.api.patch(`${path}/${made.id}`).send(refused).expect(400);
      expect(problem.fields).toEqual([expect.objectContaining({ name: Object.keys(refused)[0] })]);
    }
  },
);
