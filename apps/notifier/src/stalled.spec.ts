// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
giveWorlds((given) => ({ world } = given));

test.each([
  ['undispatched_events', ['worker dispatch']],
  ['unpositioned_events', ['worker positions']],
  ['deliveries', ['worker claims']],
])('says which workers do nothing but fail without %s, and that they recovered', async (table, workers) => {
  const notifier = await world.start({ pollMs: 20 });
  await world.db.query(`ALTER TABLE ${table} RENAME TO gone`);
  const list = async () =>
    Object.keys(await notifier.readiness())
      .filter((name) => name.startsWith('worker'))
      .sort();
  await waitFor(
    async () => {
      const found = await list();
      return workers.every((name) => found.includes(name));
    },
    { message: workers.join() },
  );
  await world.db.query(`ALTER TABLE gone RENAME TO ${table}`);
  await waitFor(async () => (await list()).length === 0, {
    message: 'all to recover',
  });
});
