// SPDX-License-Identifier: Apache-2.0
import { verifySignature } from '@chainwatch/webhook-signature';
import { waitFor } from '@chainwatch/testing';
import { WEBHOOK_SECRET, type Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const SHAPE = { fields: ['data.transaction.hash'], format: 'cloudevents' };
const expectSigned = (): void => {
  for (const { body, headers } of receiver.requests) {
    const header = String(headers['x-webhook-signature']);
    expect(verifySignature({ header, body, secrets: [WEBHOOK_SECRET] })).toMatchObject({ ok: true });
  }
};
const recorded = () =>
  world.rows<{ url: string; body: string | null }>(
    `SELECT request ->> 'url' AS url, request ->> 'body' AS body FROM delivery_attempts ORDER BY started_at`,
  );

it('signs and records what it sends, the same bytes in every attempt and by another process', async () => {
  await world.addChannel(receiver.url, { config: SHAPE });
  receiver.answer = (_request, response) => {
    response.statusCode = receiver.requests.length < 4 ? 503 : 200;
    response.end();
  };
  const engine = await world.start({ scheduleMs: [0, 20, 200, 200, 200] });
  const eventId = await world.emit();
  await waitFor(() => receiver.requests.length >= 2);
  await engine.stop();
  await world.start({ scheduleMs: [0, 20, 200, 200, 200] });
  await world.waitForStatus(eventId, 'delivered');
  const bodies = new Set(receiver.requests.map(({ body }) => body));
  expect(bodies.size).toBe(1);
  const [body] = bodies;
  const event = JSON.parse(body!) as { id: string; data: { transaction: { hash: string } } };
  expect(event).toMatchObject({ specversion: '1.0', id: eventId, type: 'transaction.detected' });
  expect(event.data).toEqual({ transaction: { hash: '0x1' } });
  expect(receiver.requests[0]!.headers).toMatchObject({
    'content-type': 'application/cloudevents+json',
    'x-webhook-event-id': eventId,
    'x-webhook-event': 'transaction.detected',
  });
  expectSigned();
  await waitFor(async () => (await recorded()).length >= 4);
  expect(new Set((await recorded()).map((row) => row.body))).toEqual(bodies);
});

it('a channel without either gets the event as it is, and no copy of it is recorded', async () => {
  await world.addChannel(receiver.url, { config: { format: 'native', fields: null } });
  await world.start();
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  const [stored] = await world.rows<{ payload: string }>('SELECT payload FROM event_log');
  expect(receiver.requests).toMatchObject([
    { body: stored!.payload, headers: { 'content-type': 'application/json' } },
  ]);
  await waitFor(async () => (await recorded()).length === 1);
  expect(await recorded()).toMatchObject([{ body: null }]);
});

it('shapes each line of a batch, and records to each event its own', async () => {
  await world.addChannel(receiver.url, { kind: 'http_batch', config: SHAPE, secrets: [WEBHOOK_SECRET] });
  const sent = [await world.emit(), await world.emit(), await world.emit()];
  await world.start();
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  const lines = receiver.requests.flatMap(({ body }) => body.trimEnd().split('\n'));
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(sent);
  expect(receiver.requests[0]!.headers['content-type']).toBe('application/x-ndjson');
  expectSigned();
  await waitFor(async () => (await recorded()).length === 3);
  expect((await recorded()).map(({ body }) => body).toSorted()).toEqual(lines.toSorted());
});

it('keeps the proof that the channel asks for', async () => {
  const publicUrl = 'https://chainwatch.example.com';
  await world.addChannel(receiver.url, { config: { ...SHAPE, include_proof: 'link' } });
  await world.start({}, { publicUrl });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  const { data } = JSON.parse(receiver.requests[0]!.body) as { data: object };
  expect(data).toEqual({
    transaction: { hash: '0x1' },
    proof: { type: 'link', url: `${publicUrl}/v1/transactions/eip155:31337/0x1/proof` },
  });
  expectSigned();
});

it('sends nothing in a format of a newer release', async () => {
  const channelId = await world.addChannel(receiver.url, { config: { format: 'avro' } });
  await world.start();
  await world.emit();
  await waitFor(async () => (await world.rows('SELECT FROM historical_dispatches')).length === 1);
  expect(receiver.requests).toEqual([]);
  await world.db.query(`UPDATE notification_channels SET config = config - 'format' WHERE id = $1`, [
    channelId,
  ]);
  await waitFor(() => receiver.requests.length === 1);
});
