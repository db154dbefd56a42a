// SPDX-License-Identifier: Apache-2.0
import { verifySignature } from '@chainwatch/webhook-signature';
import { waitFor } from '@chainwatch/testing';
import { WEBHOOK_SECRET, type Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const addChannel = (config: object = {}): Promise<string> =>
  world.addChannel(receiver.url, { kind: 'http_batch', config, secrets: [WEBHOOK_SECRET] });
const idsOf = (body: string): string[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event_id: string }).event_id);

describe('an HTTP batch channel', () => {
  test('gets what waits as lines of one signed request, each event once, in order', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    receiver.answer = (_request, response) => void held.then(() => response.end('ok'));
    await addChannel({ max_events: 20 });
    await world.start();
    const sent: string[] = [];
    for (let count = 0; count < 50; count += 1) sent.push(await world.emit());
    await waitFor(async () => receiver.requests.length === 1);
    release();
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const batches = receiver.requests.map(({ body }) => idsOf(body));
    expect(batches.flat()).toEqual(sent);
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(20);
    // One while nothing else waited; all others in few requests.
    expect(batches.length).toBeLessThan(10);
    const payloads = await world.rows<{ payload: string }>('SELECT payload FROM event_log ORDER BY sequence');
    expect(receiver.requests.map(({ body }) => body).join('')).toBe(
      payloads.map(({ payload }) => `${payload}\n`).join(''),
    );
    for (const { body, headers } of receiver.requests) {
      expect(headers).toMatchObject({
        'content-type': 'application/x-ndjson',
        'x-webhook-event': 'batch',
        'x-webhook-event-count': String(idsOf(body).length),
      });
      expect(headers).not.toHaveProperty('x-webhook-event-id');
      const signature = String(headers['x-webhook-signature']);
      expect(verifySignature({ header: signature, body, secrets: [WEBHOOK_SECRET] })).toMatchObject({
        ok: true,
      });
    }
  });

  test('gets all of a batch that failed again', async () => {
    let failures = 2;
    receiver.answer = (_request, response) => {
      response.statusCode = failures > 0 ? 500 : 200;
      failures -= 1;
      response.end();
    };
    await addChannel();
    await world.start({ scheduleMs: [0, 50, 50, 50, 50], probeIntervalMs: 50 });
    const sent = await Promise.all(Array.from({ length: 30 }, () => world.emit()));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const taken = receiver.requests.slice(2).flatMap(({ body }) => idsOf(body));
    expect(taken.toSorted()).toEqual(sent.toSorted());
  });
});
