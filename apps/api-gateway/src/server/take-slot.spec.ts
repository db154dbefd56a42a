// SPDX-License-Identifier: Apache-2.0
import { mock } from 'node:test';
import { createCache } from '@chainwatch/platform/cache';
import { takeSlot } from './take-slot.ts';

// Redis is away: the slots of this process, by the same clock.
const slots = createCache(undefined);
const take = () => takeSlot(slots, 'exports:k', 1);

beforeEach(() => mock.timers.enable({ apis: ['Date', 'setInterval'] }));
afterEach(() => mock.timers.reset());

/** Lets time pass as it does: one timer after the other. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    mock.timers.tick(1_000);
    await Promise.resolve();
  }
}

it('keeps what was taken for as long as it is not freed, and no longer', async () => {
  const free = await take();
  await pass(300);
  expect(await take()).toBeUndefined();
  await free!();
  const next = await take();
  expect(next).toBeDefined();
  await next!();
});

it('does not keep what was freed', async () => {
  const free = await take();
  await free!();
  // Somebody else has it by now, and loses it.
  await slots.holdSlot({ key: 'exports:k', holder: 'other', limit: 1, ttlSeconds: 60 });
  await pass(61);
  const next = await take();
  expect(next).toBeDefined();
  await next!();
});
