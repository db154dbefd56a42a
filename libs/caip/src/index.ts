/**
 * Chain, account and asset identifiers: CAIP-2, CAIP-10 and CAIP-19 as interface.md restricts them. Used by everything
 * that names a chain or an asset. What an id means on its chain (checksums, aliases) is the family's business.
 *
 * @example
 * const { chainGid, namespace, reference } = splitAssetGid('eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7');
 * const gid = joinAssetGid(chainGid, 'slip44:60');
 */
export { ASSET_GID_PATTERN, ASSET_PATH_PATTERN, ACCOUNT_ID_PATTERN, CHAIN_GID_PATTERN } from './patterns.ts';
export { InvalidCaipError } from './invalid-caip-error.ts';
export { formatChainGid, isChainGid, parseChainGid, splitChainGid } from './chain-gid.ts';
export { formatAccountId, isAccountId, parseAccountId, splitAccountId } from './account-id.ts';
export { formatAssetPath, isAssetPath, parseAssetPath, splitAssetPath } from './asset-path.ts';
export {
  formatAssetGid,
  formatAssetId,
  isAssetGid,
  joinAssetGid,
  parseAssetGid,
  splitAssetGid,
} from './asset-gid.ts';
export { accountIdSchema, assetGidSchema, assetPathSchema, chainGidSchema } from './schemas.ts';
export type { ChainGid, ChainGidParts } from './chain-gid.ts';
export type { AccountId, AccountIdParts } from './account-id.ts';
export type { AssetPath, AssetPathParts } from './asset-path.ts';
export type { AssetGid, AssetGidParts } from './asset-gid.ts';
