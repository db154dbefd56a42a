// SPDX-License-Identifier: Apache-2.0
import { CHATS, KINDS } from '../../spec-support/channel-bodies.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it.each(Object.entries(KINDS))(
  'a %s channel takes include_proof, shows it, and changes it',
  async (kind, body) => {
    const path = `/notification_channels/${kind}`;
    const { body: plain } = await world.api.post(path).send(body).expect(201);
    expect(plain.config).not.toHaveProperty('include_proof');
    const { body: made } = await world.api
      .post(path)
      .send({ ...body, include_proof: 'inline' })
      .expect(201);
    expect(made.config.include_proof).toBe('inline');
    await world.api.patch(`${path}/${made.id}`).send({ include_proof: 'link' }).expect(200);
    const { body: shown } = await world.api.get(`/notification_channels/${made.id}`).expect(200);
    expect(shown.config.include_proof).toBe('link');
    const { body: refused } = await world.api
      .patch(`${path}/${made.id}`)
      .send({ include_proof: 'all' })
      .expect(400);
    expect(refused.fields).toEqual([expect.objectContaining({ name: 'include_proof' })]);
  },
);

it.each(Object.entries(CHATS))('a %s channel refuses it: its messages are for people', async (kind, body) => {
  const { body: refused } = await world.api
    .post(`/notification_channels/${kind}`)
    .send({ ...body, include_proof: 'link' })
    .expect(400);
  expect(refused.fields).toEqual([expect.objectContaining({ name: 'include_proof' })]);
});
