// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/caip';
import { resolveAssetPath } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { parseAddress } from './parse-address.ts';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:501`, `token:<mint>`.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, [
    { namespace: 'token', reference: 'mint', parse: (reference) => parseAddress(reference).canonical },
  ]);
}
