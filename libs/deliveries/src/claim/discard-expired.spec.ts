// SPDX-License-Identifier: Apache-2.0
import { giveWorlds, type World } from '../spec-world.ts';
import { discardExpired } from './table.ts';

let world: World;
giveWorlds((given) => ({ world } = given));

it('discards what was held for 14 days, and nothing else however old', async () => {
  const channelId = await world.addChannel('http://127.0.0.1:9/');
  for (const [lastError, status, days] of [
    ['young', 'held', 13.9],
    ['old', 'held', 14.1],
    ['due', 'pending', 14.1],
    ['done', 'delivered', 14.1],
  ] as const)
    await world.db.query(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, is_test, last_error, created_at)
       VALUES ($1, $2, $3, 'transaction.detected', $4, false, $5, now() - $6::float8 * interval '1 day')`,
      [world.projectId, channelId, await world.emit(), status, lastError, days],
    );
  expect(await discardExpired(world.db)).toBe(1);
  expect(await discardExpired(world.db)).toBe(0);
  expect(
    await world.rows(`SELECT last_error, status FROM deliveries ORDER BY created_at, status DESC`),
  ).toEqual(
    expect.arrayContaining([
      { last_error: 'young', status: 'held' },
      { last_error: 'old', status: 'discarded' },
      { last_error: 'due', status: 'pending' },
      { last_error: 'done', status: 'delivered' },
    ]),
  );
});
