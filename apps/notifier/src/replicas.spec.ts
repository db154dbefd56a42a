// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

describe('two replicas', () => {
  const share = { shareTiming: { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 } };
  const countShares = async (): Promise<number[]> =>
    (
      await world.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM share_leases WHERE kind = 'channels' AND lease_until > clock_timestamp() GROUP BY owner`,
      )
    ).map(({ count }) => count);
  /** Each of them has its half. */
  const settled = (): Promise<unknown> => waitFor(async () => (await countShares()).join() === '16,16');

  test('share the channels, and each channel gets its events in order', async () => {
    const ids = [
      '00',
      '11',
      '22',
      '33',
      '44',
      '55',
      '66',
      '77',
      '88',
      '99',
      'aa',
      'bb',
      'cc',
      'dd',
      'ee',
      'ff',
    ].map((head) => `${head}${randomUUID().slice(2)}`);
    for (const id of ids) await world.addChannel(`${receiver.url}?${id}`, { id });
    const counts = [0, 0];
    for (const index of [0, 1])
      await world.start(
        { concurrencyPerChannel: 1, pollMs: 50 },
        { ...share, onAttempt: () => (counts[index]! += 1) },
      );
    await settled();
    const sent: string[] = [];
    for (let count = 0; count < 60; count += 1) sent.push(await world.emit());
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    // A status says nothing about rows that the other replica has not inserted yet.
    await waitFor(() => receiver.requests.length >= 60 * ids.length);
    expect(receiver.requests).toHaveLength(60 * ids.length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    const arrived = (id: string): unknown[] =>
      receiver.requests
        .filter(({ url }) => url.endsWith(id))
        .map(({ headers }) => headers['x-webhook-event-id']);
    for (const id of ids) expect(arrived(id)).toEqual(sent);
  });

  test('take waiting deliveries over ahead of what is new, when a replica comes and when one leaves', async () => {
    const ids = ['00', '44', '88', 'cc'].map((head) => `${head}${randomUUID().slice(2)}`);
    for (const id of ids) await world.addChannel(`${receiver.url}?${id}`, { id });
    receiver.answer = (_req, res) => void setTimeout(() => res.end(), 20);
    // The table is looked at long after what is new has come.
    const options = { concurrencyPerChannel: 1, pollMs: 300 };
    const first = await world.start(options, share);
    await waitFor(async () => (await countShares()).join() === '32');
    const sent: string[] = [];
    const emit = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 1) {
        sent.push(await world.emit());
        await delay(5);
      }
    };
    await emit(40);
    await world.start(options, share);
    await emit(60);
    await settled();
    await emit(40);
    await Promise.all([first.stop(), emit(60)]);
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    await waitFor(() => receiver.requests.length >= sent.length * ids.length);
    for (const id of ids)
      expect(
        receiver.requests
          .filter(({ url }) => url.endsWith(id))
          .map(({ headers }) => sent.indexOf(headers['x-webhook-event-id'] as string)),
      ).toEqual(sent.map((_, index) => index));
  });

  test('take over from one that leaves, and complete what a replica did not hear', async () => {
    const ids = ['1', '2', '3', '4', '5', '6', '7', '8'].map((head) => `${head}${randomUUID().slice(1)}`);
    for (const id of ids) await world.addChannel(receiver.url, { id });
    const first = await world.start({ pollMs: 50 }, share);
    await world.start({ pollMs: 50 }, share);
    await settled();
    const unheard = await world.emit({ isPublished: false });
    await world.waitForStatus(unheard, 'delivered');
    await first.stop();
    const later = await world.emit();
    await world.waitForStatus(later, 'delivered');
    await waitFor(() => receiver.requests.length === 2 * ids.length);
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
  });

  test('send nothing twice and lose nothing while shares move all the time', async () => {
    const ids = ['00', '22', '44', '66', '88', 'aa', 'cc', 'ee'].map(
      (head) => `${head}${randomUUID().slice(2)}`,
    );
    for (const id of ids) await world.addChannel(`${receiver.url}?${id}`, { id });
    receiver.answer = (_req, res) => void setTimeout(() => res.end(), 5);
    const sent: string[] = [];
    let notifiers = [await world.start({ pollMs: 100 }, share)];
    for (let round = 0; round < 6; round += 1) {
      const emitting = (async () => {
        for (let count = 0; count < 25; count += 1) sent.push(await world.emit());
      })();
      const next = await world.start({ pollMs: 100 }, share);
      if (round % 2 === 0) await settled();
      await Promise.all([emitting, notifiers[0]!.stop()]);
      notifiers = [next];
    }
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    await waitFor(
      async () => (await world.rows(`SELECT FROM deliveries WHERE status <> 'delivered'`)).length === 0,
    );
    for (const id of ids)
      expect(
        receiver.requests
          .filter(({ url }) => url.endsWith(id))
          .map(({ headers }) => headers['x-webhook-event-id'])
          .toSorted(),
      ).toEqual(sent.toSorted());
  });
});
