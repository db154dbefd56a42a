import { listFamilies } from '@chainwatch/chain-registry';
import type { Database } from '@chainwatch/db';
import { findFixedDifferences } from './fixed-members.ts';
import {
  lockNetworks,
  networkOf,
  readStoredNetworks,
  readUsedChains,
  removeNetwork,
  storeNetwork,
} from './network-store.ts';
import { faultOf, readNetworksFile } from './networks-file.ts';

/**
 * Puts the networks of NETWORKS_FILE in the database, where every service reads them; those that the file had before and has
 * no more go. Without a file nothing is in it.
 * @throws ConfigError where the file is wrong, or changes or drops a network that was used
 */
export async function applyNetworksFile(db: Database, path: string | undefined): Promise<void> {
  const given = path === undefined ? [] : readNetworksFile(path);
  await db.transaction(async (sql) => {
    await lockNetworks(sql);
    const stored = await readStoredNetworks(sql);
    const used = new Set((await readUsedChains(sql)).map(({ gid }) => gid));
    const builtIn = new Map(
      listFamilies().flatMap(({ catalogue }) => catalogue.builtIn.map((network) => [network.gid, network])),
    );
    const before = new Map(stored.map((row) => [row.gid, row]));
    for (const { network, document } of given) {
      const row = before.get(network.gid);
      const known = (row && networkOf(row)) ?? builtIn.get(network.gid);
      if (used.has(network.gid) && known !== undefined) {
        const [member] = findFixedDifferences(known, network);
        if (member !== undefined)
          throw faultOf(`${network.gid} was used, so ${member} cannot change: give it the value that it had`);
      }
      await storeNetwork(sql, network, { source: 'file', document });
    }
    const kept = new Set(given.map(({ network }) => network.gid as string));
    for (const { gid, source } of stored) {
      if (source !== 'file' || kept.has(gid)) continue;
      if (used.has(gid) && !builtIn.has(gid as never))
        throw faultOf(`${gid} was used and is no longer in the file: put it back, with the same members`);
      await removeNetwork(sql, gid, builtIn.get(gid as never));
    }
  });
}
