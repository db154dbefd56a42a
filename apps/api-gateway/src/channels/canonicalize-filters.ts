// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/caip';
import type { ChannelFilters } from '@chainwatch/channels';
import { findNetwork, normalizeChainGid } from '@chainwatch/chain-registry';
import { invalidRequest } from '@chainwatch/problem';
import { tryAssetGid } from '../assets/find-asset.ts';

/**
 * Filters as events have what they name: they are compared letter by letter, so that another spelling (EIP-55, `erc20:` on
 * BSC, `tron:mainnet`, a UUID in upper case) would let nothing through.
 * @throws ProblemError 400 for an asset that its chain cannot have: no event ever has it
 */
export async function canonicalizeFilters<F extends ChannelFilters>(filters: F): Promise<F> {
  const { chain_gids: chains, asset_gids: assets, address_ids: addresses } = filters;
  return {
    ...filters,
    ...(chains && { chain_gids: distinct(chains.map(normalizeChainGid)) }),
    ...(assets && { asset_gids: distinct(await Promise.all(assets.map(canonicalizeAsset))) }),
    ...(addresses && { address_ids: distinct(addresses.map((id) => id.toLowerCase())) }),
  };
}

/** Chains that this release does not know stay as they are. */
async function canonicalizeAsset(gid: string, index: number): Promise<string> {
  const { chainGid, namespace, reference } = splitAssetGid(gid);
  const network = findNetwork(normalizeChainGid(chainGid));
  if (network === undefined) return gid;
  const canonical = await tryAssetGid(network, `${namespace}:${reference}`);
  if (canonical !== undefined) return canonical;
  throw invalidRequest([
    { name: `filters.asset_gids[${index}]`, reason: `expected an asset of ${network.gid}, got ${gid}` },
  ]);
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];
