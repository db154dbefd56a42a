// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { waitFor } from '@chainwatch/testing';
import { WEBHOOK_SECRET as SECRET, type Receiver } from '@chainwatch/data/testing';
import { verifySignature } from '@chainwatch/webhook-signature';
import type { Rehearsal } from './rehearsal.ts';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

/** As the gateway writes it. */
async function rehearse(channelId: string, rehearsal: Rehearsal | null): Promise<string> {
  const eventId = randomUUID();
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload) VALUES ($1, $2, 'transaction.confirmed', 1, 'test', $3)`,
    [eventId, world.projectId, JSON.stringify({ event_id: eventId, is_test_message: true })],
  );
  await world.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, rehearsal) VALUES ($1, $2, $3, 'transaction.confirmed', 'pending', $4)`,
    [world.projectId, channelId, eventId, rehearsal],
  );
  return eventId;
}

const sandbox = (): Promise<string> => world.addChannel(receiver.url, { config: { sandbox: true } });
const channelState = () =>
  world.rows('SELECT status, consecutive_failures, failed_at FROM notification_channels');
const UNTOUCHED = [{ status: 'active', consecutive_failures: 0, failed_at: null }];

test('a duplicate comes twice with the same bytes, other events once', async () => {
  const channelId = await sandbox();
  await world.start({ pollMs: 50 });
  const [twice, once] = [await rehearse(channelId, 'duplicate'), await rehearse(channelId, null)];
  for (const id of [twice, once]) await world.waitForStatus(id, 'delivered');
  const bodiesOf = (id: string) =>
    receiver.requests.filter(({ headers }) => headers['x-webhook-event-id'] === id).map(({ body }) => body);
  expect([bodiesOf(twice).length, bodiesOf(once).length]).toEqual([2, 1]);
  expect(new Set(bodiesOf(twice)).size).toBe(1);
  expect(await world.rows('SELECT attempt_count FROM deliveries WHERE event_id = $1', [twice])).toEqual([
    { attempt_count: 2 },
  ]);
});

test('a duplicate comes again also where the receiver refused it first', async () => {
  const channelId = await sandbox();
  receiver.answer = (_req, res) => void res.writeHead(receiver.requests.length === 1 ? 500 : 204).end();
  await world.start({ pollMs: 50, scheduleMs: [0, 60_000] });
  await world.waitForStatus(await rehearse(channelId, 'duplicate'), 'delivered');
  expect(receiver.requests).toHaveLength(2);
  expect(await channelState()).toEqual(UNTOUCHED);
});

test('nobody waits for the answer of a slow receiver, and it comes again', async () => {
  const channelId = await sandbox();
  receiver.answer = (_req, res) => {
    const isFirst = receiver.requests.length === 1;
    setTimeout(() => res.writeHead(204).end(), isFirst ? 500 : 0);
  };
  await world.start({ pollMs: 50 });
  await world.waitForStatus(await rehearse(channelId, 'slow'), 'delivered');
  expect(await world.rows('SELECT error_code FROM delivery_attempts ORDER BY started_at')).toEqual([
    { error_code: 'timeout' },
    { error_code: null },
  ]);
});

test('a slow receiver’s message is not broken off, and comes again while it works', async () => {
  const channelId = await sandbox();
  const broken: boolean[] = [];
  receiver.answer = (_req, res) => {
    res.once('close', () => broken.push(!res.writableFinished));
    setTimeout(() => res.writeHead(204).end(), 700);
  };
  await world.start({ pollMs: 50 });
  await world.waitForStatus(await rehearse(channelId, 'slow'), 'delivered');
  await waitFor(async () => broken.length === 2);
  expect(broken).toEqual([false, false]);
});

test('in a batch, only what is rehearsed is sent twice or with two signatures', async () => {
  const channelId = await world.addChannel(receiver.url, {
    kind: 'http_batch',
    config: { sandbox: true },
    secrets: [SECRET],
  });
  const kinds: readonly (Rehearsal | null)[] = ['rotation', null, 'duplicate', null, 'rotation', null];
  const ids: string[] = [];
  for (const kind of kinds) ids.push(await rehearse(channelId, kind));
  await world.start({ pollMs: 50 });
  for (const id of ids) await world.waitForStatus(id, 'delivered');
  const sent = receiver.requests.map(({ headers, body }) => ({
    ids: String(body)
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event_id: string }).event_id),
    signatures: String(headers['x-webhook-signature']).match(/v1=/g)!.length,
  }));
  for (const [index, kind] of kinds.entries()) {
    const of = sent.filter((one) => one.ids.includes(ids[index]!));
    expect(of.map(({ signatures }) => signatures)).toEqual(
      kind === 'duplicate' ? [1, 1] : [kind === 'rotation' ? 2 : 1],
    );
    if (kind !== null) expect(of.every((one) => one.ids.length === 1)).toBe(true);
  }
});

test('two signatures stand where secrets rotate: the second is of the secret that the receiver knows', async () => {
  const channelId = await sandbox();
  await world.start({ pollMs: 50 });
  await world.waitForStatus(await rehearse(channelId, 'rotation'), 'delivered');
  const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[number]];
  const header = String(headers['x-webhook-signature']);
  expect(header.match(/v1=/g)).toHaveLength(2);
  expect(verifySignature({ header, body, secret: SECRET }).ok).toBe(true);
  const [t, first] = header.split(',');
  expect(verifySignature({ header: `${t},${first}`, body, secret: SECRET }).ok).toBe(false);
});

test('what the receiver of a sandbox answers changes no status, whatever it is', async () => {
  await sandbox();
  let status = 500;
  receiver.answer = (_req, res) => void res.writeHead(status).end();
  await world.start({ pollMs: 50, scheduleMs: [0, 20, 20], failingAfter: 2 });
  for (status of [500, 410, 404]) {
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'failed');
    expect(await channelState()).toEqual(UNTOUCHED);
  }
  status = 204;
  await world.waitForStatus(await world.emit(), 'delivered');
  expect(await world.rows(`SELECT FROM event_log WHERE type = 'channel.failed'`)).toEqual([]);
});

test('a sandbox that failed before stays failed when it answers: only a restore says otherwise', async () => {
  const channelId = await sandbox();
  await world.db.query(
    `UPDATE notification_channels SET status = 'failing', consecutive_failures = 9, probe_at = now() WHERE id = $1`,
    [channelId],
  );
  await world.start({ pollMs: 50, probeIntervalMs: 50 });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  await waitFor(async () => receiver.requests.length > 0);
  expect(await channelState()).toEqual([{ status: 'failing', consecutive_failures: 9, failed_at: null }]);
});
