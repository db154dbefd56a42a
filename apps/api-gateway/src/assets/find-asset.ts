// SPDX-License-Identifier: Apache-2.0
import type { ChainNotation, Network } from '@chainwatch/chain-core';
import { InvalidAssetError } from '@chainwatch/chain-core';
import { joinAssetGid, parseAssetPath, parseChainGid } from '@chainwatch/common/caip';
import { findNetwork, findNotation, normalizeChainGid } from '@chainwatch/chain-registry';
import type { Principal } from '@chainwatch/data/key-store';
import { invalidRequest, notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import { readProjectAssets } from './project-asset.ts';
import type { ProjectAsset } from './project-asset.ts';

interface AssetParams {
  readonly chain_gid: string;
  readonly asset_path: string;
}

/**
 * The asset of two path parameters, with aliases resolved. @throws ProblemError 404, also if only other projects list
 * it; 400 for a path that the family refuses
 */
export async function findAsset(
  { db }: Pick<ApiDeps, 'db'>,
  { projectId }: Principal,
  params: AssetParams,
): Promise<ProjectAsset> {
  const gid = await canonicalAssetGid(params);
  const [asset] = await readProjectAssets(db, projectId, [gid]);
  if (!asset) throw notFound(`There is no asset ${gid} in this project.`);
  return asset;
}

/** @throws ProblemError 400 with `fields` if the path names no asset of the chain's family */
export function toAssetGid(family: ChainNotation, network: Network, assetPath: string): string {
  try {
    return family.parseAssetPath(network, assetPath);
  } catch (error) {
    if (error instanceof InvalidAssetError)
      throw invalidRequest([{ name: 'asset_path', reason: error.publicMessage }]);
    throw error;
  }
}

/** The canonical gid of another spelling; undefined if the family refuses it or is not part of this build. */
export async function tryAssetGid(network: Network, assetPath: string): Promise<string | undefined> {
  const family = await findNotation(network.namespace);
  try {
    return family?.parseAssetPath(network, assetPath);
  } catch (error) {
    if (error instanceof InvalidAssetError) return undefined;
    throw error;
  }
}

async function canonicalAssetGid(params: AssetParams): Promise<string> {
  const chainGid = normalizeChainGid(params.chain_gid);
  const network = findNetwork(chainGid);
  const family = network && (await findNotation(network.namespace));
  if (network && family) return toAssetGid(family, network, params.asset_path);
  return joinAssetGid(parseChainGid(chainGid), parseAssetPath(params.asset_path));
}
