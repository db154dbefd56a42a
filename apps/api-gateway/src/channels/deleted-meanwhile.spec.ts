// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

const ROUNDS = 40;
/** Until a deletion overtook a request. */
const ROUNDS_MAX = 400;

describe('a request that races the deletion of its channel', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each<['get' | 'post', string]>([
    ['post', 'webhook-secrets/actions/rotate'],
    ['get', 'webhook-secrets'],
    ['post', 'actions/test'],
    ['post', 'actions/archive'],
    ['post', 'actions/restore'],
  ])('%s %s is answered as before the deletion, or with 404', async (method, action) => {
    const statuses = new Map<number, number>();
    for (let round = 0; round < ROUNDS || (!statuses.has(404) && round < ROUNDS_MAX); round += 1) {
      const { body } = await world.api
        .post('/notification_channels/webhook')
        .send({ name: `${action} ${round}`, url: 'http://127.0.0.1:9/' })
        .expect(201);
      // The deletion is sent first, second, or in the midst of three.
      const requests = Array.from({ length: 3 }, () => world.api[method](`/channels/${body.id}/${action}`));
      const deletion = world.api.delete(`/notification_channels/${body.id}`).expect(204);
      const sent = round % 2 === 0 ? [deletion, ...requests] : [requests[0]!, deletion, ...requests.slice(1)];
      for (const { status } of await Promise.all(sent)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()].filter((status) => ![200, 202, 204, 404, 409].includes(status))).toEqual([]);
    expect(statuses.get(404)).toBeGreaterThan(0);
    expect(world.failures).toEqual([]);
  });
});
