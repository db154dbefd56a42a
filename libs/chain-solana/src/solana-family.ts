// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily } from '@chainwatch/chain-core';
import { solanaManifest } from './manifest.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { countBalanceRequests } from './read-balances.ts';
import { SolanaClient } from './solana-client.ts';
import { solanaRpc } from './rpc/solana-rpc.ts';

/** Solana's clusters. */
export const solanaFamily: ChainFamily = {
  ...solanaManifest,
  parseAddress,
  // The system program, whose key is zero, and the incinerator.
  burnAddresses: ['11111111111111111111111111111111', '1nc1nerator11111111111111111111111111111111'],
  parseAssetPath,
  countBalanceRequests,
  rpc: solanaRpc,
  createClient: (options) => new SolanaClient(options),
};
