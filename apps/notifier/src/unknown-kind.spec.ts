// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

test('a channel of a kind of a newer release is left alone, and said so; others get their events', async () => {
  const errors: [object, string][] = [];
  const logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object, message: string) => void errors.push([fields, message]),
  };
  const unknown = await world.addChannel('', {
    kind: 'pigeon',
    config: { loft: 7, event_types: ['transaction.detected'] },
  });
  await world.addChannel(receiver.url);
  await world.start({ scheduleMs: [0, 50] }, { logger });
  const events = [await world.emit(), await world.emit()];
  await waitFor(() => receiver.requests.length === 2);
  const rowsOf = () =>
    world.rows<{ event_id: string; status: string; attempt_count: number }>(
      'SELECT event_id, status, attempt_count FROM deliveries WHERE channel_id = $1 ORDER BY id',
      [unknown],
    );
  await waitFor(async () => (await rowsOf()).length === 2);
  // They wait, untried, for a release that knows the kind.
  expect(await rowsOf()).toEqual(
    events.map((event_id) => ({ event_id, status: 'pending', attempt_count: 0 })),
  );
  expect(await world.rows('SELECT status FROM notification_channels WHERE id = $1', [unknown])).toEqual([
    { status: 'active' },
  ]);
  // By the owner of its share, which is not the one of the other channel.
  await waitFor(() => errors.length > 0);
  expect(errors).toEqual([
    [
      { channel_id: unknown, reason: 'this release does not know the channel kind "pigeon"' },
      'failed to use notification channel',
    ],
  ]);
});
