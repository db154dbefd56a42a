// SPDX-License-Identifier: Apache-2.0
import type { Receiver } from '@chainwatch/data/testing';
import type { DeliveryJob } from './delivery-job.ts';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

/** Of each attempt: whether it was the first one, and when its event was made, where that is told. */
let seen: Pick<DeliveryJob, 'eventAt' | 'isFirst'>[];
beforeEach(() => (seen = []));
const start = () =>
  world.start(
    { pollMs: 20, scheduleMs: [0, 20, 20] },
    {
      onAttempt: (_attempt, jobs) =>
        void seen.push(...jobs.map(({ eventAt, isFirst }) => ({ eventAt, isFirst }))),
    },
  );
const madeAt = async (eventId: string): Promise<Date> =>
  (
    await world.rows<{ at: Date }>('SELECT created_at AS at FROM event_log WHERE event_id = $1', [eventId])
  )[0]!.at;

/** Refuses every event once. */
function refuseFirst(): void {
  const refused = new Set<unknown>();
  receiver.answer = ({ headers }, res) => {
    const eventId = headers['x-webhook-event-id'];
    if (!refused.has(eventId)) res.statusCode = 500;
    refused.add(eventId);
    res.end();
  };
}

describe('the time of an event that an attempt carries', () => {
  it('is told of the first attempt and of retries, also where the row was read', async () => {
    await world.addChannel(receiver.url);
    const before = await world.emit();
    refuseFirst();
    await start();
    await world.waitForStatus(before, 'delivered');
    const beforeAt = await madeAt(before);
    // The channel is known by now: events go another way.
    const after = await world.emit();
    await world.waitForStatus(after, 'delivered');
    const afterAt = await madeAt(after);
    expect(seen).toEqual([
      { eventAt: beforeAt, isFirst: true },
      { eventAt: beforeAt, isFirst: false },
      { eventAt: afterAt, isFirst: true },
      { eventAt: afterAt, isFirst: false },
    ]);
  });

  it('is not told of what waited for its channel, or was asked for again', async () => {
    const channelId = await world.addChannel(receiver.url);
    await world.db.query('UPDATE notification_channels SET is_archived = true WHERE id = $1', [channelId]);
    await start();
    const held = await world.emit();
    await world.waitForStatus(held, 'held');
    await world.db.query('UPDATE notification_channels SET is_archived = false WHERE id = $1', [channelId]);
    await world.waitForStatus(held, 'delivered');
    refuseFirst();
    await world.db.query(
      `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, delivered_at = NULL WHERE event_id = $1`,
      [held],
    );
    await world.waitForStatus(held, 'delivered');
    expect(seen).toEqual([
      { eventAt: undefined, isFirst: true },
      { eventAt: undefined, isFirst: false },
      { eventAt: undefined, isFirst: false },
    ]);
  });
});
