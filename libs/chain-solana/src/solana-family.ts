// SPDX-License-Identifier: Apache-2.0
import {
  type ChainFamily,
  resolveAssetPath,
  type Network,
  checkBase58Text,
  InvalidAddressError,
  type ParsedAddress,
} from '@chainwatch/chain-core';
import { solanaManifest } from './manifest.ts';
import { countBalanceRequests } from './read-balances.ts';
import { SolanaClient } from './solana-client.ts';
import { solanaRpc } from './rpc/solana-rpc.ts';
import type { AssetGid } from '@chainwatch/common/caip';
import { base58 } from '@scure/base';
import { PublicKey } from '@solana/web3.js';

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

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:501`, `token:<mint>`.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, [
    { namespace: 'token', reference: 'mint', parse: (reference) => parseAddress(reference).canonical },
  ]);
}

/**
 * Parses a Solana address: 32 bytes in Base58, which has no checksum and one spelling. Whether it lies on the curve is
 * not asked: program derived addresses own coins too.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  checkBase58Text(input, [32, 44], 'Base58');
  try {
    new PublicKey(input);
  } catch {
    throw new InvalidAddressError(
      `address has a wrong length: expected 32 bytes in 32 to 44 characters (Base58), got ${base58.decode(input).length} bytes`,
    );
  }
  return { canonical: input, display: input, format: 'solana' };
}
