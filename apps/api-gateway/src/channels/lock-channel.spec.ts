// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it('a change that waits for another one keeps the name that the other one gave', async () => {
  const { body } = await world.api
    .post('/channels')
    .send({ name: 'old', url: 'http://127.0.0.1:9/' })
    .expect(201);
  const path = `/notification_channels/webhook/${body.id}`;
  let changing: Promise<number> | undefined;
  await world.db.transaction(async (sql) => {
    await sql.query(`UPDATE notification_channels SET name = 'new' WHERE id = $1`, [body.id]);
    changing = world.api
      .patch(path)
      .send({ throttle_per_second: 7 })
      .then(({ status }) => status);
    await waitFor(async () => {
      const { rowCount } = await world.db.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount !== 0;
    });
  });
  expect(await changing).toBe(200);
  const { body: changed } = await world.api.get(path.replace('webhook/', '')).expect(200);
  expect([changed.name, changed.config.throttle_per_second]).toEqual(['new', 7]);
});
