import type { ChainNotation, Network } from '@chainwatch/chain-core';
import { InvalidAssetError } from '@chainwatch/chain-core';
import { joinAssetGid, parseAssetPath, parseChainGid } from '@chainwatch/caip';
import type { Prisma } from '@chainwatch/db/prisma';
import { findNetwork, findNotation, normalizeChainGid } from '@chainwatch/chain-registry';
import { invalidRequest, notFound } from '@chainwatch/problem';
import type { ApiDeps } from './api-deps.ts';

export type AssetRow = Prisma.AssetGetPayload<object>;

interface AssetParams {
  readonly chain_gid: string;
  readonly asset_path: string;
}

/** The asset row of two path parameters, aliases resolved. @throws ProblemError 404, or 400 for a path the family refuses */
export async function findAsset({ prisma }: Pick<ApiDeps, 'prisma'>, params: AssetParams): Promise<AssetRow> {
  const gid = await canonicalAssetGid(params);
  const row = await prisma.asset.findUnique({ where: { gid } });
  if (!row) throw notFound(`There is no asset ${gid} in this service.`);
  return row;
}

/** @throws ProblemError 400 with `fields` when the path names no asset of the chain's family */
export function toAssetGid(family: ChainNotation, network: Network, assetPath: string): string {
  try {
    return family.parseAssetPath(network, assetPath);
  } catch (error) {
    if (error instanceof InvalidAssetError) throw invalidRequest([{ name: 'asset_path', reason: error.publicMessage }]);
    throw error;
  }
}

/** The canonical gid of another spelling; undefined when the family refuses it, or is not part of this build. */
export async function tryAssetGid(network: Network, assetPath: string): Promise<string | undefined> {
  const family = await findNotation(network.gid.split(':', 1)[0]!);
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
  const family = network && (await findNotation(network.gid.split(':', 1)[0]!));
  if (network && family) return toAssetGid(family, network, params.asset_path);
  return joinAssetGid(parseChainGid(chainGid), parseAssetPath(params.asset_path));
}
