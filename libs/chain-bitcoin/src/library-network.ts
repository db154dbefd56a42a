// SPDX-License-Identifier: Apache-2.0
import { networks } from 'bitcoinjs-lib';
import type { Network as LibraryNetwork } from 'bitcoinjs-lib';
import type { Network } from '@chainwatch/chain-core';
import { readTraits } from './networks.ts';

/**
 * The address prefixes of a network, as bitcoinjs-lib takes them. Nothing here signs, so the other members
 * are mainnet's.
 */
export function toLibraryNetwork(network: Network): LibraryNetwork {
  const { base58, bech32Hrp } = readTraits(network);
  return {
    ...networks.bitcoin,
    // A network without segwit derives none of its addresses.
    bech32: bech32Hrp ?? '',
    pubKeyHash: base58.p2pkh,
    scriptHash: base58.p2sh,
  };
}
