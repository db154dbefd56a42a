// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily } from '@chainwatch/chain-core';
import { tronManifest } from './manifest.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { countBalanceRequests } from './read-balances.ts';
import { TronClient } from './tron-client.ts';
import { tronRpc } from './rpc/tron-rpc.ts';

/** TRON, by java-tron's wallet API, its Ethereum-compatible interface, or both. */
export const tronFamily: ChainFamily = {
  ...tronManifest,
  parseAddress,
  // The zero address, and the account that TRON itself calls the black hole.
  burnAddresses: ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  parseAssetPath,
  countBalanceRequests,
  tellsHeadOnly: true,
  rpc: tronRpc,
  createClient: (options) => new TronClient(options),
};
