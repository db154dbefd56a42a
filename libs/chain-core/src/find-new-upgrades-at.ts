// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, NodeUpgrade } from './chain-family.ts';
import type { Upgrade } from './upgrade.ts';

/** What the first endpoint that can tell says of upgrades. One that cannot is no worse for it. */
export async function findNewUpgradesAt(
  clients: readonly ChainClient[],
  known: readonly Upgrade[],
  signal?: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  for (const client of clients) {
    if (client.findNewUpgrades === undefined) continue;
    try {
      await client.verifyChain(signal);
      const found = await client.findNewUpgrades(known, signal);
      if (found !== undefined) return found;
    } catch (error) {
      if (signal?.aborted === true) throw error;
    }
  }
  return undefined;
}
