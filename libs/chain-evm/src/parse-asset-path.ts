// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/caip';
import { resolveAssetPath } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { readTraits } from './networks.ts';
import { parseAddress } from './parse-address.ts';

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:60`, `erc20:0x…`; on BSC `erc20:` means `bep20:`. The contract
 * by which the native coin is also a token means the native coin.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  const parse = (reference: string): string => parseAddress(reference).canonical;
  const gid = resolveAssetPath(network, assetPath, [
    { namespace: network.tokenNamespace, aliases: ['erc20'], reference: 'address', parse },
  ]);
  const { nativeTokenContract } = readTraits(network);
  return gid === `${network.gid}/${network.tokenNamespace}:${nativeTokenContract}`
    ? (network.native?.gid ?? gid)
    : gid;
}
