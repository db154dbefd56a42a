// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const confirmed = { event_types: ['transaction.confirmed'], include_historical: true };
const eventIds = (): string[] =>
  receiver.requests.map(({ headers }) => String(headers['x-webhook-event-id']));

/** What the analyzer writes for a transaction that history found (commit-history.ts). Returns the ids, in order. */
async function insertHistory(count: number, channelIds: readonly string[]): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await world.db.query(
    `WITH e AS (
       INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload)
       SELECT id, $2, 'eip155:31337', 'transaction.confirmed', NULL, 'history',
         json_build_object('event_id', id, 'type', 'transaction.confirmed', 'sequence', NULL, 'is_historical', true)::text FROM unnest($1::uuid[]) AS i (id) RETURNING id)
     INSERT INTO historical_dispatches SELECT c.id, e.id FROM e, unnest($3::uuid[]) AS c (id)`,
    [ids, world.projectId, channelIds],
  );
  return ids;
}
const left = () => world.rows('SELECT FROM historical_dispatches');

test('events of history go to the channel once, in order, and to no other', async () => {
  const channelId = await world.addChannel(receiver.url, { config: confirmed });
  await world.addChannel(receiver.url, { config: { event_types: ['transaction.confirmed'] } });
  await world.start({ concurrencyPerChannel: 1 });
  const ids = await insertHistory(150, [channelId]);
  await waitFor(() => receiver.requests.length >= 150, { message: 'all of them' });
  await waitFor(async () => (await left()).length === 0, { message: 'the queue to be empty' });
  expect(eventIds()).toEqual(ids);
  expect(await world.rows('SELECT FROM undispatched_events')).toEqual([]);
  expect(await world.rows('SELECT FROM unpublished_events')).toEqual([]);
  expect(await world.rows('SELECT FROM deliveries WHERE NOT is_historical')).toEqual([]);
});

test('what is live goes before history, and history takes no more than half of the requests', async () => {
  const channelId = await world.addChannel(receiver.url, { config: confirmed });
  const unanswered: ServerResponse[] = [];
  await world.start({ concurrencyPerChannel: 4 });
  // The receiver has answered: it gets four requests at once.
  for (let count = 0; count < 5; count += 1)
    await world.waitForStatus(await world.emit({ type: 'transaction.confirmed' }), 'delivered');
  receiver.requests.length = 0;
  receiver.answer = (_req, res) => void unanswered.push(res);
  const history = await insertHistory(200, [channelId]);
  await waitFor(() => unanswered.length === 2, { message: 'history to start' });
  const live = [];
  for (let count = 0; count < 20; count += 1) live.push(await world.emit({ type: 'transaction.confirmed' }));
  await waitFor(() => unanswered.length === 4, { message: 'what is live to start' });
  expect(eventIds()).toEqual([...history.slice(0, 2), ...live.slice(0, 2)]);
  await waitFor(async () => (await world.rows('SELECT FROM undispatched_events')).length === 0, {
    message: 'all that is live to be in the queue',
  });
  receiver.answer = (_req, res) => void res.end('ok');
  for (const res of unanswered) res.end('ok');
  await waitFor(() => receiver.requests.length === 220, { message: 'everything' });
  const order = eventIds();
  const lastLive = Math.max(...live.map((id) => order.indexOf(id)));
  expect(order.slice(0, lastLive + 1).filter((id) => history.includes(id)).length).toBeLessThanOrEqual(4);
  expect(new Set(order).size).toBe(220);
});

test('history waits for a closed channel, and is dropped for one that does not include it any more', async () => {
  const closed = await world.addChannel(receiver.url, { config: confirmed });
  const changed = await world.addChannel(receiver.url, {
    config: { ...confirmed, include_historical: false },
  });
  await world.db.query('UPDATE notification_channels SET is_archived = true WHERE id = $1', [closed]);
  await world.start();
  const ids = await insertHistory(3, [closed, changed]);
  await waitFor(async () => (await left()).length === 3, { message: 'those of the changed channel to go' });
  expect(receiver.requests).toEqual([]);
  await world.db.query('UPDATE notification_channels SET is_archived = false WHERE id = $1', [closed]);
  await waitFor(() => receiver.requests.length === 3, { message: 'the deliveries' });
  expect(eventIds().sort()).toEqual([...ids].sort());
});

test('a delivery of history that was under way when its process died is made once more by the next', async () => {
  const channelId = await world.addChannel(receiver.url, { config: confirmed });
  const ids = await insertHistory(1, [channelId]);
  // As the process left it: claimed, its row in the queue gone.
  await world.db.query(
    `WITH d AS (DELETE FROM historical_dispatches RETURNING channel_id)
     INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, next_attempt_at, is_historical)
     SELECT $1, channel_id, $2, 'transaction.confirmed', 'pending', now(), true FROM d`,
    [world.projectId, ids[0]],
  );
  await world.start();
  await world.waitForStatus(ids[0]!, 'delivered');
  expect(eventIds()).toEqual(ids);
});

test('history of a strict channel goes while a delivery of another key waits for its next attempt', async () => {
  const channelId = await world.addChannel(receiver.url, {
    config: { ...confirmed, ordering: 'strict', ordering_key: 'address' },
  });
  const waiting = [await world.insertEvent({}), await world.insertEvent({})];
  await world.db.query('DELETE FROM undispatched_events');
  for (const [index, { eventId }] of waiting.entries())
    await world.db.query(
      `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, next_attempt_at, attempt_count, ordering_key)
       VALUES ($1, $2, $3, $4, 'transaction.confirmed', 'pending', now() + $5 * interval '1 hour', $6, 7)`,
      [
        `01900000-0000-7000-8000-00000000000${index}`,
        ...[world.projectId, channelId, eventId, index === 0 ? 1 : -1, index === 0 ? 1 : 0],
      ],
    );
  const ids = await insertHistory(5, [channelId]);
  // One look alone: no later one helps.
  await world.start({ pollMs: 600_000 });
  await waitFor(() => receiver.requests.length >= 5, { message: 'history' });
  expect(new Set(eventIds())).toEqual(new Set(ids));
});
