// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { listFamilies } from './families.ts';
import { normalizeChainGid } from './normalize-chain-gid.ts';
import { namesOf, readNetwork, type NetworkFault } from './read-networks.ts';

let networks: readonly Network[] = [];
let known = '';
let faults: readonly NetworkFault[] = [];
let byName: ReadonlyMap<string, Network> = new Map();
overrideNetworks([]);

/** Every network that is known now, the local ones included. */
export function listNetworks(): readonly Network[] {
  return networks;
}

/** A network by CAIP-2 id (any accepted spelling), by name or by alias; names and aliases in any case. */
export function findNetwork(gidOrAlias: string): Network | undefined {
  return byName.get(gidOrAlias.trim().toLowerCase()) ?? byName.get(normalizeChainGid(gidOrAlias));
}

/**
 * The documents of an operator, beside or in place of the networks of this build; in place of what was given before. Of two
 * networks that share a name the one of this build keeps it. Returns what is wrong with those that are left out.
 */
export function overrideNetworks(documents: readonly unknown[]): readonly NetworkFault[] {
  const now = JSON.stringify(documents);
  // Traits are kept for each network object, so those that stay are the same objects.
  if (now === known) return faults;
  known = now;
  const read = documents.map(readNetwork);
  const given = read.flatMap(({ network }) => network ?? []);
  for (const { name, catalogue } of listFamilies())
    catalogue.override(given.filter(({ family }) => family === name));
  networks = listFamilies().flatMap(({ catalogue }) => catalogue.networks);
  byName = indexByName(networks);
  faults = read.flatMap((each) => each.faults ?? []);
  return faults;
}

function indexByName(all: readonly Network[]): ReadonlyMap<string, Network> {
  const index = new Map(all.map((network) => [network.gid as string, network]));
  for (const network of all)
    for (const name of namesOf(network)) if (!index.has(name)) index.set(name, network);
  return index;
}
