// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));
beforeEach(async () => {
  await world.db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ('eip155:31337', 'evm', 'local', 'local', 'https://example.com/x.svg', true) ON CONFLICT DO NOTHING`,
  );
});

const incidents = () =>
  world.rows<{ status: string }>(
    'SELECT kind, status, subject_type, subject_id, project_id, got FROM incidents',
  );
const kept = () => world.rows('SELECT FROM historical_dispatches');
const deliveriesTo = (channelId: string) =>
  world.rows<{ event_id: string; status: string; is_historical: boolean }>(
    'SELECT event_id, status, is_historical FROM deliveries WHERE channel_id = $1 ORDER BY id',
    [channelId],
  );
const repair = (channelId: string, config: object) =>
  world.db.query('UPDATE notification_channels SET config = $2 WHERE id = $1', [
    channelId,
    { url: receiver.url, ...config },
  ]);

test.each([
  ['its event types', { event_types: 'transaction.progress' }, 'event_types'],
  ['a filter', { event_types: ['transaction.progress'], filters: { min_amount: 5 } }, 'filters'],
  ['a whole that is no object', undefined, 'all of it'],
])(
  'a channel with %s unreadable is set aside: nothing is planned and nothing lost',
  async (_, config, named) => {
    const channelId = await world.addChannel(receiver.url, { config: config ?? {} });
    if (config === undefined)
      await world.db.query(`UPDATE notification_channels SET config = '"torn"'::jsonb WHERE id = $1`, [
        channelId,
      ]);
    const other = await world.addChannel(receiver.url);
    await world.start();
    const wanted = [await world.emit({ type: 'transaction.progress' })];
    // Of the kind's default types, which it does not want.
    const unwanted = await world.emit();
    wanted.push(await world.emit({ type: 'transaction.progress' }));
    await waitFor(async () => (await kept()).length === 3, { message: 'the events to be kept' });
    await waitFor(async () => (await deliveriesTo(other))[0]?.status === 'delivered', {
      message: 'the other channel to get its event',
    });
    expect((await deliveriesTo(other)).map(({ event_id }) => event_id)).toEqual([unwanted]);
    expect(await deliveriesTo(channelId)).toEqual([]);
    const incident = {
      ...{ kind: 'poison:channels', status: 'quarantined', subject_type: 'channel', subject_id: channelId },
      ...{ project_id: world.projectId, got: `the config of the channel is not readable: ${named}` },
    };
    await waitFor(async () => (await incidents()).length > 0, { message: 'the incident' });
    expect(await incidents()).toEqual([incident]);
    expect(await world.rows('SELECT FROM undispatched_events')).toEqual([]);

    await repair(channelId, { event_types: ['transaction.progress'] });
    await waitFor(async () => (await kept()).length === 0, { message: 'what was kept to be planned' });
    for (const eventId of wanted) await world.waitForStatus(eventId, 'delivered');
    expect(await deliveriesTo(channelId)).toEqual(
      wanted.map((event_id) => ({ event_id, status: 'delivered', is_historical: false })),
    );
    await waitFor(async () => (await incidents())[0]?.status === 'resolved', {
      message: 'it to be resolved',
    });
    expect(await incidents()).toEqual([{ ...incident, status: 'resolved' }]);
  },
);

test('what is kept for a channel that takes no history is not discarded with it', async () => {
  const channelId = await world.addChannel(receiver.url, { config: { event_types: 7 } });
  await world.start();
  const eventId = await world.emit({ type: 'transaction.progress' });
  await waitFor(async () => (await kept()).length === 1, { message: 'the event to be kept' });
  await world.db.query(
    `WITH e AS (INSERT INTO event_log (event_id, project_id, chain_gid, type, subject_kind, payload)
       VALUES (gen_random_uuid(), $1, 'eip155:31337', 'transaction.progress', 'history', '{}') RETURNING id)
     INSERT INTO historical_dispatches SELECT $2, id FROM e`,
    [world.projectId, channelId],
  );
  await world.db.query(`UPDATE notification_channels SET is_archived = true WHERE id = $1`, [channelId]);
  await repair(channelId, { event_types: ['transaction.progress'] });
  await waitFor(async () => (await kept()).length === 1, { message: 'history to be discarded' });
  expect(await incidents()).toMatchObject([{ status: 'quarantined' }]);
  await world.db.query(`UPDATE notification_channels SET is_archived = false WHERE id = $1`, [channelId]);
  await world.waitForStatus(eventId, 'delivered');
  expect(await deliveriesTo(channelId)).toHaveLength(1);
});
