// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { parseAssetPath, type AssetPath } from './asset-path.ts';
import { parseChainGid, type ChainGid } from './chain-gid.ts';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { ASSET_GID_PATTERN } from './patterns.ts';

/** A checked CAIP-19 asset type, `eip155:1/slip44:60`: what the API calls the gid of an asset. */
export type AssetGid = string & z.core.$brand<'AssetGid'>;

export interface AssetGidParts {
  readonly chainGid: ChainGid;
  /** `erc20:0x…`: the part after the slash. */
  readonly assetPath: AssetPath;
  readonly namespace: string;
  readonly reference: string;
}

export const ASSET_GID_EXPECTED = 'a CAIP-19 asset id such as "eip155:1/slip44:60"';

/** Parts of a CAIP-19 asset type. @throws InvalidCaipError, also for one item of a collection (an asset id) */
export function splitAssetGid(text: string): AssetGidParts {
  if (typeof text !== 'string' || !ASSET_GID_PATTERN.test(text))
    throw new InvalidCaipError(ASSET_GID_EXPECTED, text);
  const slash = text.indexOf('/');
  const colon = text.indexOf(':', slash);
  return {
    chainGid: text.slice(0, slash) as ChainGid,
    assetPath: text.slice(slash + 1) as AssetPath,
    namespace: text.slice(slash + 1, colon),
    reference: text.slice(colon + 1),
  };
}

/** `joinAssetGid('eip155:1', 'slip44:60')` → `eip155:1/slip44:60`. @throws InvalidCaipError */
export function joinAssetGid(chainGid: string, assetPath: string): AssetGid {
  return `${parseChainGid(chainGid)}/${parseAssetPath(assetPath)}` as AssetGid;
}
