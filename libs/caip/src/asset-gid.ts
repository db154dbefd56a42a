import type { z } from 'zod';
import { formatAssetPath, parseAssetPath, splitAssetPath, type AssetPath } from './asset-path.ts';
import { parseChainGid, type ChainGid } from './chain-gid.ts';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { ASSET_GID_PATTERN, TOKEN_ID_PATTERN } from './patterns.ts';

/** A checked CAIP-19 asset type, `eip155:1/slip44:60`: what the API calls the gid of an asset. */
export type AssetGid = string & z.core.$brand<'AssetGid'>;

export interface AssetGidParts {
  readonly chainGid: ChainGid;
  /** `erc20:0x…`: the part after the slash, without the token id. */
  readonly assetPath: AssetPath;
  readonly namespace: string;
  readonly reference: string;
  /** One item of a collection (CAIP-19 asset id): `771769` in `eip155:1/erc721:0x06…/771769`. */
  readonly tokenId?: string;
}

export const ASSET_GID_EXPECTED = 'a CAIP-19 asset id such as "eip155:1/slip44:60"';

/** An asset type: one without a token id. @throws InvalidCaipError */
export function parseAssetGid(text: string): AssetGid {
  if (!isAssetGid(text)) throw new InvalidCaipError(ASSET_GID_EXPECTED, text);
  return text;
}

export function isAssetGid(value: unknown): value is AssetGid {
  return typeof value === 'string' && ASSET_GID_PATTERN.test(value);
}

/** Parts of a CAIP-19 asset type, or of an asset id (with `tokenId`). @throws InvalidCaipError */
export function splitAssetGid(text: string): AssetGidParts {
  const [chainText, pathText, tokenId, ...rest] = typeof text === 'string' ? text.split('/', 4) : [];
  if (chainText === undefined || pathText === undefined || rest.length > 0) {
    throw new InvalidCaipError(ASSET_GID_EXPECTED, text);
  }
  if (tokenId !== undefined) requireTokenId(tokenId);
  const chainGid = parseChainGid(chainText);
  const assetPath = parseAssetPath(pathText);
  return { chainGid, assetPath, ...splitAssetPath(assetPath), ...(tokenId === undefined ? {} : { tokenId }) };
}

/** `joinAssetGid('eip155:1', 'slip44:60')` → `eip155:1/slip44:60`. @throws InvalidCaipError */
export function joinAssetGid(chainGid: string, assetPath: string): AssetGid {
  return parseAssetGid(`${parseChainGid(chainGid)}/${parseAssetPath(assetPath)}`);
}

/** @throws InvalidCaipError naming the part that does not fit */
export function formatAssetGid(parts: { chainGid: string; namespace: string; reference: string }): AssetGid {
  return joinAssetGid(parts.chainGid, formatAssetPath(parts));
}

/** A CAIP-19 asset id: one item of a collection. @throws InvalidCaipError naming the part that does not fit */
export function formatAssetId(parts: {
  chainGid: string;
  namespace: string;
  reference: string;
  tokenId: string;
}): string {
  return `${formatAssetGid(parts)}/${requireTokenId(parts.tokenId)}`;
}

function requireTokenId(tokenId: string): string {
  if (TOKEN_ID_PATTERN.test(tokenId)) return tokenId;
  throw new InvalidCaipError('a token id of 1 to 78 letters, digits, "-", "." and "%"', tokenId);
}
