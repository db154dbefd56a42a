// SPDX-License-Identifier: Apache-2.0
import { listFamilies } from '@chainwatch/chain-registry';
import type { Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { NetworkSource } from '../records/network.ts';
import { networkOf, readStoredNetworks, readUsedChains } from './network-store.ts';

/** A known network, and where it comes from. */
export interface KnownNetwork {
  readonly network: Network;
  readonly source: NetworkSource;
  readonly isUsed: boolean;
}

/** Every known network as the database has it now, those of this release first. */
export async function readKnownNetworks(sql: Sql): Promise<readonly KnownNetwork[]> {
  const stored = await readStoredNetworks(sql);
  const used = new Set((await readUsedChains(sql)).map(({ gid }) => gid));
  const known = new Map<string, KnownNetwork>();
  for (const { catalogue } of listFamilies())
    for (const network of catalogue.builtIn)
      known.set(network.gid, { network, source: 'built_in', isUsed: used.has(network.gid) });
  for (const row of stored) {
    const network = networkOf(row);
    if (network !== undefined)
      known.set(network.gid, { network, source: row.source, isUsed: used.has(network.gid) });
  }
  return [...known.values()];
}

/** One of them by any accepted id. */
export async function findKnownNetwork(sql: Sql, chainGid: string): Promise<KnownNetwork | undefined> {
  return (await readKnownNetworks(sql)).find(({ network }) => network.gid === chainGid);
}

/** The network that this release has by itself. */
export function findBuiltIn(gid: string): Network | undefined {
  return listFamilies()
    .flatMap(({ catalogue }) => catalogue.builtIn)
    .find((network) => network.gid === gid);
}
