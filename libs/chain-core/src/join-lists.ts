// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from './block.ts';
import type { BlocksOfAddresses } from './chain-family.ts';
import { ChainClientError } from './errors.ts';

/**
 * All blocks that any of several lists names, as far as every one of them reaches.
 * @throws ChainClientError when two name different blocks at one height
 */
export function joinLists(lists: readonly BlocksOfAddresses[]): BlocksOfAddresses {
  const toBlock = Math.min(...lists.map((list) => list.toBlock));
  const refs = new Map<number, BlockRef>();
  const accounts = new Map<string, Set<string>>();
  for (const list of lists) {
    for (const ref of list.refs) {
      const known = refs.get(ref.number) ?? ref;
      if (known.hash !== ref.hash)
        throw new ChainClientError(
          `blocks of addresses: expected ${known.hash} at ${ref.number} from every endpoint, got ${ref.hash}`,
        );
      if (ref.number <= toBlock) refs.set(ref.number, ref);
    }
    for (const [address, own] of list.accounts ?? [])
      accounts.set(address, new Set([...(accounts.get(address) ?? []), ...own]));
  }
  return {
    refs: [...refs.values()].sort((a, b) => a.number - b.number),
    toBlock,
    accounts: new Map([...accounts].map(([address, own]) => [address, [...own]])),
    isListed: true,
  };
}
