// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/caip';
import { resolveAssetPath } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: the native coin is all there is.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, []);
}
