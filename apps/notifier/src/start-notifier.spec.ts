// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const eventIds = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);

describe('what breaks around it', () => {
  test('finds events in the database when NATS forgot them', async () => {
    await world.addChannel(receiver.url);
    await world.start({ pollMs: 50 });
    const sent = [await world.emit({ isPublished: false }), await world.emit({ isPublished: false })];
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(eventIds()).toEqual(sent);
  });

  test('tells of a failed transaction before what came after it', async () => {
    await world.addChannel(receiver.url, {
      config: { event_types: ['transaction.failed', 'transaction.detected'] },
    });
    await world.start({ concurrencyPerChannel: 1 });
    await world.waitForStatus(await world.emit(), 'delivered');
    for (let round = 0; round < 5; round += 1) {
      const types = [
        'transaction.failed',
        'transaction.detected',
        'transaction.failed',
        'transaction.detected',
      ];
      const events = [];
      for (const type of types) events.push(await world.insertEvent({ type }));
      await Promise.all(events.map((event) => world.publish(event)));
      for (const { eventId } of events) await world.waitForStatus(eventId, 'delivered');
      expect(eventIds().slice(-events.length)).toEqual(events.map(({ eventId }) => eventId));
    }
  });

  test('does not send held events', async () => {
    await world.addChannel(receiver.url);
    const held = await world.emit({ isPublished: false, isHeld: true });
    await world.start({ pollMs: 30 });
    await world.waitForStatus(await world.emit({ isPublished: false }), 'delivered');
    expect(eventIds()).not.toContain(held);
    await world.db.query('UPDATE event_log SET is_held = false WHERE event_id = $1', [held]);
    await world.waitForStatus(held, 'delivered');
  });

  test('sends again, with the same event id and another delivery id, what a dead worker sent without recording it', async () => {
    const channelId = await world.addChannel(receiver.url);
    const eventId = await world.emit({ isPublished: false });
    // What a killed notifier leaves behind: dispatched, taken, no attempt on record.
    await world.db.query(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, next_attempt_at) VALUES ($1, $2, $3, 'transaction.detected', 'pending', now() + interval '300 ms')`,
      [world.projectId, channelId, eventId],
    );
    await world.start({ pollMs: 50 });
    await world.waitForStatus(eventId, 'delivered');
    expect(eventIds()).toEqual([eventId]);
  });

  test('records attempts although the database goes away meanwhile', async () => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => {
      void world.db
        .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notifier'`)
        .then(() => res.end());
    };
    await world.start();
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(receiver.requests).toHaveLength(1);
  });

  test('shares the work between two replicas without sending anything twice', async () => {
    await world.addChannel(receiver.url);
    await Promise.all([world.start({ pollMs: 20 }), world.start({ pollMs: 20 })]);
    const sent = await Promise.all(Array.from({ length: 200 }, () => world.emit()));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(eventIds().toSorted()).toEqual(sent.toSorted());
  });

  test('a graceful stop finishes what is under way and gives back the rest at once', async () => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void setTimeout(() => res.end(), 500);
    const first = await world.start({ concurrencyPerChannel: 2 });
    const sent: string[] = [];
    for (let count = 0; count < 6; count += 1) sent.push(await world.emit());
    await waitFor(() => receiver.requests.length === 2);
    await first.stop();
    // It takes no more events first: on a slow machine two more were begun meanwhile.
    const begun = receiver.requests.length;
    expect(begun).toBeLessThan(sent.length);
    expect(
      await world.rows(`SELECT count(*)::int AS count FROM deliveries WHERE status = 'delivered'`),
    ).toEqual([{ count: begun }]);
    await world.start();
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(eventIds()).toEqual(sent);
  });

  test('starts the first attempt straight from the message, long before any poll', async () => {
    await world.addChannel(receiver.url);
    await world.start({ pollMs: 3_600_000 });
    for (let count = 0; count < 30; count += 1) await world.waitForStatus(await world.emit(), 'delivered');
  });
});
