// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/caip';
import { InvalidAddressError, resolveAssetPath } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { parseAddress } from './parse-address.ts';
import { isAssetId } from './token-gid.ts';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:195`, `trc20:T…` (any accepted form of the address),
 * `trc10:<id>`.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, [
    { namespace: 'trc20', reference: 'address', parse: (reference) => parseAddress(reference).canonical },
    { namespace: 'trc10', reference: 'id', parse: checkTokenId },
  ]);
}

function checkTokenId(reference: string): string {
  if (isAssetId(reference)) return reference;
  throw new InvalidAddressError(
    `expected a token id of 7 to 19 digits, got ${JSON.stringify(reference.slice(0, 40))}`,
  );
}
