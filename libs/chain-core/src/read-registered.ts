// SPDX-License-Identifier: Apache-2.0
import type { TokenMetadata } from './chain-family.ts';
import type { Network } from './network.ts';

/** What the network's document says of old tokens; the chain is asked for the others alone. In the order of `assetGids`. */
export async function readRegistered(
  { tokens = [] }: Pick<Network, 'tokens'>,
  assetGids: readonly string[],
  read: (others: readonly string[]) => Promise<(TokenMetadata | undefined)[]>,
): Promise<(TokenMetadata | undefined)[]> {
  const registered = new Map(tokens.map((token) => [token.gid as string, token]));
  const others = assetGids.filter((gid) => !registered.has(gid));
  const found = others.length === 0 ? [] : await read(others);
  const foundOf = new Map(others.map((gid, index) => [gid, found[index]]));
  return assetGids.map((gid) => {
    const token = registered.get(gid);
    if (token === undefined) return foundOf.get(gid);
    const { name, symbol, decimals, type } = token;
    return type === 'nft'
      ? { name, symbol, decimals: undefined, isNft: true as const }
      : { name, symbol, decimals };
  });
}
