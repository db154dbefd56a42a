// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';
import { createSteadyClock } from './create-delivery-engine.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const HOUR_MS = 3_600_000;

test('follows a clock ahead and never back', () => {
  let nowMs = 5_000;
  const steady = createSteadyClock(() => nowMs);
  nowMs += HOUR_MS;
  expect(steady()).toBe(5_000 + HOUR_MS);
  nowMs -= HOUR_MS;
  const before = steady();
  expect(before).toBeGreaterThanOrEqual(5_000 + HOUR_MS);
  expect(steady()).toBeGreaterThanOrEqual(before);
});

describe('when the clock of the system is set back by an hour', () => {
  let aheadMs: number;
  beforeEach(() => {
    aheadMs = HOUR_MS;
  });
  const now = (): number => Date.now() + aheadMs;

  test('a paced channel gets its next event', async () => {
    await world.addChannel(receiver.url, { config: { throttle_per_second: 20 } });
    await world.start({}, { now });
    await world.waitForStatus(await world.emit(), 'delivered');
    aheadMs = 0;
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(receiver.requests).toHaveLength(2);
  });

  test('what is held for an open channel is found', async () => {
    await world.addChannel(receiver.url);
    await world.start({}, { now });
    await world.waitForStatus(await world.emit(), 'delivered');
    aheadMs = 0;
    await world.rows("UPDATE deliveries SET status = 'held', delivered_at = NULL");
    await waitFor(() => receiver.requests.length === 2);
  });
});
