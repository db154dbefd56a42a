// SPDX-License-Identifier: Apache-2.0
import { findNetwork, overrideNetworks } from '@chainwatch/chain-registry';
import { waitFor } from '@chainwatch/testing';
import { followNetworks } from './start-notifier.ts';
import { giveWorlds, type World } from './spec-world.ts';

const GID = 'eip155:424242';
const document = (displayName: string): object => ({
  ...{ gid: GID, family: 'evm', name: 'spec-chain', short_name: 'spec', display_name: displayName },
  token_namespace: 'erc20',
  confirmation: { type: 'depth', depth: 12 },
  block_time_ms: 1_000,
  explorer: { transaction: 'https://explorer.example.com/tx/{hash}' },
  traits: { stack: 'ethereum' },
});

let world: World;
giveWorlds((given) => ({ world } = given));
afterEach(() => void overrideNetworks([]));

const setNetwork = (displayName: string): Promise<unknown> =>
  world.db.query(
    `INSERT INTO networks (gid, source, document) VALUES ($1, 'api', $2) ON CONFLICT (gid) DO UPDATE SET document = excluded.document`,
    [GID, JSON.stringify(document(displayName))],
  );

test('names networks of the operator, as they are now, and keeps them while the database is away', async () => {
  const warnings: unknown[] = [];
  await setNetwork('Spec Chain');
  const logger = { warn: (fields: unknown) => void warnings.push(fields) };
  const follower = await followNetworks(world.db, logger, 50);
  expect(findNetwork(GID)).toMatchObject({
    displayName: 'Spec Chain',
    explorer: { transaction: 'https://explorer.example.com/tx/{hash}' },
  });
  await setNetwork('Other Name');
  await waitFor(() => findNetwork(GID)?.displayName === 'Other Name');
  await world.db.query('ALTER TABLE networks RENAME TO networks_away');
  await waitFor(() => warnings.length > 0);
  expect(findNetwork(GID)?.displayName).toBe('Other Name');
  follower.stop();
});
