// SPDX-License-Identifier: Apache-2.0
import { type ChainFamily, resolveAssetPath, type Network } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { hdDerivation } from './hd/hd-derivation.ts';
import { bitcoinManifest } from './manifest.ts';
import { parseAddress } from './parse-address.ts';
import { readTraits } from './networks.ts';
import { findAddress, matchKeyOf } from './script-address.ts';
import { bitcoinRpc } from './rpc/bitcoin-rpc.ts';
import type { AssetGid } from '@chainwatch/common/caip';

/** Bitcoin, its test networks, and the coins that share its transactions. */
export const bitcoinFamily: ChainFamily = {
  ...bitcoinManifest,
  parseAddress,
  burnAddresses: listSpellings(['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr']),
  parseAssetPath,
  rpc: bitcoinRpc,
  createClient: (options) => new BitcoinClient(options),
  utxo: {
    coinbaseMaturityOf: (network) => readTraits(network).coinbaseMaturity,
    matchKeyOf,
    findAddress,
  },
  hd: hdDerivation,
};

/** As every network that reads them writes them. */
function listSpellings(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const { canonical, others = [] } = parseAddress(address);
    return [canonical, ...others.map((other) => other.canonical)];
  });
}

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: the native coin is all there is.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, []);
}
