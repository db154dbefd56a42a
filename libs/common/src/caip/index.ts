// SPDX-License-Identifier: Apache-2.0
/**
 * Chain and asset identifiers: CAIP-2 and CAIP-19 as interface.md restricts them. Used by everything that names a chain
 * or an asset. What an id means on its chain (checksums, aliases) is the family's business.
 *
 * @example
 * const { chainGid, namespace, reference } = splitAssetGid('eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7');
 * const gid = joinAssetGid(chainGid, 'slip44:60');
 */
export {
  ASSET_GID_PATTERN,
  assetGidSchema,
  assetPathSchema,
  CHAIN_GID_PATTERN,
  chainGidSchema,
  InvalidCaipError,
  joinAssetGid,
  parseAssetPath,
  parseChainGid,
  splitAssetGid,
  splitChainGid,
  type AssetGid,
  type ChainGid,
} from './caip.ts';
