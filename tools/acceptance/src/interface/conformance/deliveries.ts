// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { make, makeChannel, moveMoney, type Ground } from './ground.ts';
import { bodyOf, type Delivery } from './observer.ts';
import { codesOf, type Row } from './read-tables.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Each way to say what a header holds. */
const CONTENTS: readonly (readonly [RegExp, (match: RegExpExecArray, name: string) => Check])[] = [
  [
    /`t=<unix-seconds>,v1=<hex>`; HMAC-SHA256 signature/,
    (_, name) =>
      check('is t and the HMAC-SHA256 of t, a dot and the body', async (ground) => {
        const channel = await makeChannel(ground);
        const delivery = await sendTest(ground, channel);
        const { t, v1 } = readSignature(headerOf(delivery, name));
        demand(
          v1.length === 1 && v1[0] === sign(channel.secret, t, delivery),
          `v1=${sign(channel.secret, t, delivery)}`,
          headerOf(delivery, name),
        );
        demand(Math.abs(Number(t) - delivery.receivedAtMs / 1_000) < 300, 't of now', t);
      }),
  ],
  [
    /event name: (`[\w.]+`(?: or `[\w.]+`)*)/,
    ([, names], name) =>
      check(`is one of ${names}, and the type in the body`, async ({ observer }) => {
        for (const event of codesOf(names!)) {
          const delivery = await observer.find(
            `a delivery of ${event}`,
            (candidate) => candidate.path === '/ground' && headerOf(candidate, name) === event,
          );
          demand(bodyOf(delivery)['type'] === event, event, bodyOf(delivery));
        }
      }),
  ],
  [
    /UUIDv(\d); stable across retries; deduplication key/,
    ([, version], name) =>
      check('is the same at every attempt, and that of the body', async (ground) => {
        const [first, second] = await sendTwice(ground);
        demand(
          headerOf(first, name) === headerOf(second, name) &&
            headerOf(first, name) === bodyOf(first)['event_id'],
          'one event id',
          [headerOf(first, name), headerOf(second, name), bodyOf(first)['event_id']],
        );
        const told = ground.observer.deliveries.filter(({ path }) => path === '/ground');
        for (const delivery of told)
          demand(
            UUID.exec(headerOf(delivery, name))?.[1] === version &&
              headerOf(delivery, name) === bodyOf(delivery)['event_id'],
            `a UUID of version ${version}`,
            headerOf(delivery, name),
          );
        demand(
          new Set(told.map((delivery) => headerOf(delivery, name))).size === told.length,
          'an id for each event',
          told.length,
        );
      }),
  ],
  [
    /UUID; changes on every attempt; for support correlation only/,
    (_, name) =>
      check('is another one at every attempt', async (ground) => {
        const ids = (await sendTwice(ground)).map((delivery) => headerOf(delivery, name));
        demand(ids.every((id) => UUID.test(id)) && ids[0] !== ids[1], 'two UUIDs', ids);
      }),
  ],
];

/** A row of the table of headers on deliveries. */
export function deliveryHeaderChecks(row: Row): readonly Check[] {
  return interpret(row.cells['Content']!, CONTENTS, codesOf(row.cells['Header']!)[0]!);
}

const MEANINGS: readonly (readonly [RegExp, (match: RegExpExecArray, event: string) => Check])[] = [
  [
    /a transaction involving a monitored address is detected/,
    (_, event) =>
      check(`${event} tells of the transaction of the monitored address`, (ground) =>
        findTold(ground, event),
      ),
  ],
  [
    /such a transaction is confirmed/,
    (_, event) => check(`${event} tells of the same transaction`, (ground) => findTold(ground, event)),
  ],
];

/** A row of the table of events. */
export function eventChecks(row: Row): readonly Check[] {
  return interpret(row.cells['Meaning']!, MEANINGS, codesOf(row.cells['Event name']!)[0]!);
}

/** By POST as JSON, and not marked as a test. */
async function findTold({ observer, transactionHash, values }: Ground, event: string): Promise<void> {
  const isAbout = (delivery: Delivery): boolean => JSON.stringify(bodyOf(delivery)).includes(transactionHash);
  const delivery = await observer.find(
    `${event} of ${transactionHash}`,
    (candidate) =>
      candidate.path === '/ground' && candidate.headers['x-webhook-event'] === event && isAbout(candidate),
  );
  const body = bodyOf(delivery);
  demand(
    delivery.method === 'POST' && /^application\/json/.test(delivery.headers['content-type'] ?? ''),
    'POST of application/json',
    delivery.headers,
  );
  demand(
    body['type'] === event &&
      body['is_test_message'] === false &&
      JSON.stringify(body).toLowerCase().includes(values['address']!.toLowerCase()),
    `${event} about ${values['address']}`,
    body,
  );
}

/** A test message through the channel, as it arrived. */
export async function sendTest(
  { api, observer }: Ground,
  channel: { readonly id: string; readonly path: string },
): Promise<Delivery> {
  const before = observer.deliveries.length;
  await make(api, { path: `/notification_channels/${channel.id}/actions/test` });
  const delivery = await observer.find(
    'the test message',
    (candidate) => candidate.path === channel.path && observer.deliveries.indexOf(candidate) >= before,
  );
  demand(bodyOf(delivery)['is_test_message'] === true, 'a test message', bodyOf(delivery));
  return delivery;
}

/** An attempt that failed and the next one. */
async function sendTwice(ground: Ground): Promise<[Delivery, Delivery]> {
  const channel = await makeChannel(ground);
  ground.observer.failing.add(channel.path);
  await moveMoney(ground.stack, ground.values['address'] as `0x${string}`);
  const first = await ground.observer.find('an attempt', ({ path }) => path === channel.path);
  return [
    first,
    await ground.observer.find(
      'the second attempt',
      (candidate) =>
        candidate.path === channel.path &&
        candidate !== first &&
        candidate.headers['x-webhook-event-id'] === first.headers['x-webhook-event-id'],
    ),
  ];
}

export function headerOf({ headers }: Delivery, name: string): string {
  return String(headers[name.toLowerCase()]);
}

export function readSignature(header: string): { readonly t: string; readonly v1: readonly string[] } {
  const pairs = header.split(',').map((part) => part.split('=') as [string, string]);
  return {
    t: pairs.find(([name]) => name === 't')?.[1] ?? '',
    v1: pairs.filter(([name]) => name === 'v1').map(([, value]) => value),
  };
}

/** The signed payload is `t`, a dot and the raw body, the key the whole secret. */
export function sign(secret: string, t: string, { raw }: Delivery): string {
  return createHmac('sha256', secret).update(`${t}.`).update(raw).digest('hex');
}
