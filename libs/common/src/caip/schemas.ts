// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { ASSET_GID_EXPECTED } from './asset-gid.ts';
import { ASSET_PATH_EXPECTED } from './asset-path.ts';
import { CHAIN_GID_EXPECTED } from './chain-gid.ts';
import { showValue } from './invalid-caip-error.ts';
import { ASSET_GID_PATTERN, ASSET_PATH_PATTERN, CHAIN_GID_PATTERN } from './patterns.ts';

/** Path parameter and body field `chain_gid`. */
export const chainGidSchema = patternSchema(CHAIN_GID_PATTERN, CHAIN_GID_EXPECTED).brand<'ChainGid'>();
/** Path parameter `asset_path`. */
export const assetPathSchema = patternSchema(ASSET_PATH_PATTERN, ASSET_PATH_EXPECTED).brand<'AssetPath'>();
/** Asset `gid`: CAIP-19 without a token id. */
export const assetGidSchema = patternSchema(ASSET_GID_PATTERN, ASSET_GID_EXPECTED).brand<'AssetGid'>();

// A regex check, not a transform: the pattern shows in the OpenAPI document.
function patternSchema(pattern: RegExp, expected: string): z.ZodString {
  return z
    .string({ error: ({ input }) => `expected ${expected}, got ${showValue(input)}` })
    .regex(pattern, { error: ({ input }) => `expected ${expected}, got ${showValue(input)}` });
}
