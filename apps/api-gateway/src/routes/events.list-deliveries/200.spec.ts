// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it("lists an event's deliveries through every channel, oldest first, and no other event's", async () => {
  const { projectId } = world.project;
  const [mine, another, held] = [randomUUID(), randomUUID(), randomUUID()];
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, type, subject_kind, payload, is_held)
     SELECT e.id, $1, 'transaction.detected', 'tx.detected', '{}', e.id = $3 FROM unnest($2::uuid[]) AS e (id)`,
    [projectId, [mine, another, held], held],
  );
  const wanted = [];
  for (const name of ['one', 'two', 'three']) {
    const { body: channel } = await world.api
      .post('/channels')
      .send({ name, url: 'https://1.1.1.1/' })
      .expect(201);
    for (const eventId of [mine, another])
      await world.db.query(
        `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, 'transaction.detected', 'delivered')`,
        [projectId, channel.id, eventId],
      );
    wanted.push({ channel_id: channel.id, event_id: mine, status: 'delivered' });
  }
  const { body } = await world.api.get(`/events/${mine}/deliveries`).expect(200);
  expect(body.items).toMatchObject(wanted);
  expect(body.meta.total).toBe(3);
  const { body: rest } = await world.api.get(`/events/${mine}/deliveries?limit=2&page=2`).expect(200);
  expect(rest.items).toMatchObject(wanted.slice(2));
  for (const id of [held, randomUUID()]) await world.api.get(`/events/${id}/deliveries`).expect(404);
  await world.other.get(`/events/${mine}/deliveries`).expect(404);
});
