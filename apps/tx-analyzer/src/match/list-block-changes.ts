// SPDX-License-Identifier: Apache-2.0
import type { BlockChange } from '../model/blocks-step.ts';
import type { WatchedByAddress } from '../model/matched-transaction.ts';
import type { BlockCandidates } from './find-hits.ts';

/**
 * What blocks changed of watched balances without a transaction, one for each address, asset, and reason of a block. What
 * has no amount or no name is left to the reading of the balance.
 *
 * @param isWanted of the ids of watched addresses; default: all
 */
export function listBlockChanges(
  { block: { number, hash }, balanceChanges }: Pick<BlockCandidates, 'block' | 'balanceChanges'>,
  watched: WatchedByAddress,
  isWanted: (addressId: string) => boolean = () => true,
): BlockChange[] {
  const changes = new Map<string, BlockChange>();
  for (const { address, assetGid, reason, amountRaw } of balanceChanges) {
    if (amountRaw === undefined || reason === 'other') continue;
    for (const { id: addressId, fromBlock } of watched.get(address) ?? []) {
      if (fromBlock > number || !isWanted(addressId)) continue;
      const key = `${addressId}|${assetGid}|${reason}`;
      const sum = (changes.get(key)?.amountRaw ?? 0n) + amountRaw;
      changes.set(key, { addressId, assetGid, block: { number, hash }, reason, amountRaw: sum });
    }
  }
  return [...changes.values()].filter(({ amountRaw }) => amountRaw !== 0n);
}
