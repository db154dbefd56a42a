// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { waitFor } from '@chainwatch/testing';
import { WEBHOOK_SECRET as SECRET, type Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const eventIds = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);
const statusOf = async (channelId: string): Promise<string> =>
  (
    await world.rows<{ status: string }>('SELECT status FROM notification_channels WHERE id = $1', [
      channelId,
    ])
  )[0]!.status;

/** As the gateway writes it. */
async function sendTest(channelId: string): Promise<string> {
  const eventId = randomUUID();
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload) VALUES ($1, $2, 'transaction.detected', 0, 'test', '{"is_test_message":true}')`,
    [eventId, world.projectId],
  );
  await world.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, is_test) VALUES ($1, $2, $3, 'transaction.detected', 'pending', true)`,
    [world.projectId, channelId, eventId],
  );
  return eventId;
}

describe('test messages', () => {
  test.each([
    ['archived', 'is_archived = true'],
    ['failing', `status = 'failing', consecutive_failures = 9, probe_at = now() + interval '1 hour'`],
    ['failed', `status = 'failed', failed_at = now()`],
  ])('go to a channel that is %s', async (name, change) => {
    const channelId = await world.addChannel(receiver.url);
    await world.db.query(`UPDATE notification_channels SET ${change} WHERE id = $1`, [channelId]);
    await world.start({ pollMs: 50 });
    const held = await world.emit();
    await world.waitForStatus(held, 'held');
    await world.waitForStatus(await sendTest(channelId), 'delivered');
    // A test that arrives proves that the channel works, so its held deliveries follow. An archived channel
    // stays archived.
    if (name === 'archived') await world.waitForStatus(held, 'held');
    else await world.waitForStatus(held, 'delivered');
    expect(await world.rows('SELECT is_archived, status, failed_at FROM notification_channels')).toEqual([
      { is_archived: name === 'archived', status: 'active', failed_at: null },
    ]);
  });

  test('are tried once, and count for nothing when they fail', async () => {
    const channelId = await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(410).end();
    await world.start({ pollMs: 50, scheduleMs: [0, 20, 20, 20, 20, 20] });
    for (let count = 0; count < 6; count += 1) await world.waitForStatus(await sendTest(channelId), 'failed');
    expect(receiver.requests).toHaveLength(6);
    expect(await world.rows('SELECT status, consecutive_failures FROM notification_channels')).toEqual([
      { status: 'active', consecutive_failures: 0 },
    ]);
  });
});

test('a redelivery has the same event id, another delivery id and the whole schedule, and goes behind what is new', async () => {
  const channelId = await world.addChannel(receiver.url);
  await world.start({ pollMs: 50, scheduleMs: [0, 30] });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  receiver.answer = (_req, res) => void res.writeHead(500).end();
  await world.db.query(
    `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, delivered_at = NULL WHERE event_id = $1`,
    [eventId],
  );
  await world.waitForStatus(eventId, 'failed');
  expect(eventIds()).toEqual([eventId, eventId, eventId]);
  expect(new Set(receiver.requests.map(({ headers }) => headers['x-webhook-delivery-id'])).size).toBe(3);
  expect(await world.rows('SELECT number FROM delivery_attempts ORDER BY started_at')).toEqual([
    { number: 1 },
    { number: 2 },
    { number: 3 },
  ]);
  expect(await world.rows('SELECT attempt_count FROM deliveries')).toEqual([{ attempt_count: 3 }]);
  expect(await statusOf(channelId)).toBe('failed');
});

test('the previous secret stops signing when its overlap ends, without anything being told', async () => {
  const channelId = await world.addChannel(receiver.url, {
    secrets: [SECRET, 'svc_whsec_abcdefghijklmnopqrstuvwxyz0000'],
  });
  await world.start();
  await world.db.query(
    `UPDATE webhook_secrets SET expires_at = now() + interval '3 s' WHERE channel_id = $1 AND state = 'previous'`,
    [channelId],
  );
  await world.waitForStatus(await world.emit(), 'delivered');
  await waitFor(
    async () => (await world.rows(`SELECT 1 FROM webhook_secrets WHERE expires_at < now()`)).length === 1,
  );
  await world.waitForStatus(await world.emit(), 'delivered');
  expect(
    receiver.requests.map(({ headers }) => String(headers['x-webhook-signature']).match(/v1=/g)!.length),
  ).toEqual([2, 1]);
});
