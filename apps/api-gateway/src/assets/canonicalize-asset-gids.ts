// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import { findNetwork } from '@chainwatch/chain-registry';
import { tryAssetGid } from './find-asset.ts';

/** Canonical gids of assets in any spelling; one that the family refuses matches nothing. */
export async function canonicalizeAssetGids(gids: readonly string[]): Promise<string[]> {
  return Promise.all(
    gids.map(async (gid) => {
      const { chainGid, namespace, reference } = splitAssetGid(gid);
      const network = findNetwork(chainGid);
      return (network && (await tryAssetGid(network, `${namespace}:${reference}`))) ?? gid;
    }),
  );
}
