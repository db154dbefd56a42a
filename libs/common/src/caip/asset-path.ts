// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { ASSET_PATH_PATTERN } from './patterns.ts';

/** A checked `<asset_namespace>:<asset_reference>`, `slip44:60`: an asset within its chain, and a path parameter. */
export type AssetPath = string & z.core.$brand<'AssetPath'>;

export const ASSET_PATH_EXPECTED = 'an asset path such as "slip44:60" or "erc20:0x…"';

/** @throws InvalidCaipError */
export function parseAssetPath(text: string): AssetPath {
  if (typeof text !== 'string' || !ASSET_PATH_PATTERN.test(text))
    throw new InvalidCaipError(ASSET_PATH_EXPECTED, text);
  return text as AssetPath;
}
