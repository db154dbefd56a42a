// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { shareChannels, shareOf, type ChannelShares } from './channel-shares.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const PREFIXES = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
const timing = { lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 20 };

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

const ownedBy = (shares: ChannelShares): string[] =>
  PREFIXES.filter((prefix) => shares.owns(`${prefix}${randomUUID().slice(2)}`));

test('parts are 32 of equal size', () => {
  const sizes = new Map<string, number>();
  for (const prefix of PREFIXES) sizes.set(shareOf(prefix), (sizes.get(shareOf(prefix)) ?? 0) + 1);
  expect([sizes.size, new Set(sizes.values())]).toEqual([32, new Set([8])]);
});

test('every channel has one replica, the second one gets its half when the first has nothing of it under way, and all when that leaves', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let gains = 0;
  const first = shareChannels({
    db,
    logger,
    timing,
    onGain: () => void (gains += 1),
    onLoss: () => finished,
  });
  await waitFor(() => ownedBy(first).length === 256);
  expect([first.partitions, gains]).toEqual([undefined, 32]);
  const second = shareChannels({
    db,
    logger,
    timing,
    onGain: () => undefined,
    onLoss: () => Promise.resolve(),
  });
  await waitFor(() => ownedBy(first).length === 128, { message: 'the first one to stop with its half' });
  expect([ownedBy(second), second.partitions]).toEqual([[], []]);
  finish();
  await waitFor(() => ownedBy(second).length === 128, { message: 'the second one to have its half' });
  expect([...ownedBy(first), ...ownedBy(second)].sort()).toEqual(PREFIXES);
  expect([first.partitions, second.partitions]).toEqual([ownedBy(first), ownedBy(second)]);
  await first.stop();
  await waitFor(() => second.partitions === undefined);
  await second.stop();
});
