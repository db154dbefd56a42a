import type { Network } from '@chainwatch/chain-core';
import { listFamilies } from './families.ts';
import { normalizeChainGid } from './normalize-chain-gid.ts';

const networks: readonly Network[] = listFamilies().flatMap((family) => family.networks);
const byName = indexByName(networks);

/** Every network of the catalogue, the local ones included. */
export function listNetworks(): readonly Network[] {
  return networks;
}

/** A network by CAIP-2 id (any accepted spelling), by name or by alias; names and aliases in any case. */
export function findNetwork(gidOrAlias: string): Network | undefined {
  return byName.get(gidOrAlias.trim().toLowerCase()) ?? byName.get(normalizeChainGid(gidOrAlias));
}

function indexByName(all: readonly Network[]): ReadonlyMap<string, Network> {
  const index = new Map<string, Network>();
  for (const network of all) {
    for (const key of [network.gid, network.name, ...network.aliases]) {
      const other = index.get(key);
      if (other !== undefined)
        throw new Error(`networks ${other.gid} and ${network.gid} share the name ${key}`);
      index.set(key, network);
    }
  }
  return index;
}
