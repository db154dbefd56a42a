// SPDX-License-Identifier: Apache-2.0
import { findSharedNames, listFamilies } from '@chainwatch/chain-registry';
import type { Network } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import { findFixedDifferences } from './fixed-members.ts';
import {
  freeNames,
  lockNetworks,
  networkOf,
  readStoredNetworks,
  readUsedChains,
  removeNetwork,
  storeNetwork,
  type StoredNetwork,
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
    const kept = new Set(given.map(({ network }) => network.gid as string));
    const ofApi = stored.filter(({ gid, source }) => source === 'api' && !kept.has(gid)).flatMap(toNetworks);
    const returning = stored.flatMap(({ gid, source }) =>
      source === 'file' && !kept.has(gid) ? (builtIn.get(gid as never) ?? []) : [],
    );
    const named = given.map(({ network }) => network);
    for (const network of returning) {
      const [shared] = findSharedNames(network, [...ofApi, ...named]);
      if (shared !== undefined)
        throw faultOf(
          `${network.gid} is no longer in the file, and the release's name for it, ${shared.name}, is one of ${shared.gid} now`,
        );
    }
    await freeNames(sql, [...named, ...returning]);
    for (const { network, document } of given) {
      const row = before.get(network.gid);
      const known = (row && networkOf(row)) ?? builtIn.get(network.gid);
      if (used.has(network.gid) && known !== undefined) {
        const [member] = findFixedDifferences(known, network);
        if (member !== undefined)
          throw faultOf(`${network.gid} was used, so ${member} cannot change: give it the value that it had`);
      }
      const [shared] = findSharedNames(network, ofApi);
      if (shared !== undefined)
        throw faultOf(`${network.gid}: ${shared.name} is a name of ${shared.gid}, which the API was told`);
      await storeNetwork(sql, network, { source: 'file', document });
    }
    for (const row of stored) {
      const { gid, source } = row;
      if (source !== 'file' || kept.has(gid)) continue;
      const own = builtIn.get(gid as never);
      // What the release says may differ in members that are fixed by now.
      const known = networkOf(row);
      const isKept =
        own !== undefined && (known === undefined || findFixedDifferences(known, own).length === 0);
      if (used.has(gid) && !isKept)
        throw faultOf(`${gid} was used and is no longer in the file: put it back, with the same members`);
      await removeNetwork(sql, gid, own);
    }
  });
}

function toNetworks(row: StoredNetwork): readonly Network[] {
  const network = networkOf(row);
  return network === undefined ? [] : [network];
}
