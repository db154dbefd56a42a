// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily } from '@chainwatch/chain-core';
import { getAddress, isAddress } from 'viem/utils';
import { EvmClient } from './evm-client.ts';
import { evmManifest } from './manifest.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { probeNetwork } from './probe/probe-network.ts';
import { evmRpc } from './rpc/evm-rpc.ts';

/** Ethereum and every chain that speaks its JSON-RPC. */
export const evmFamily: ChainFamily = {
  ...evmManifest,
  parseAddress,
  // No root covers an address from a trace, so it may be any text.
  displayAddress: (address) => (isAddress(address, { strict: false }) ? getAddress(address) : address),
  burnAddresses: ['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'],
  parseAssetPath,
  rpc: evmRpc,
  createClient: (options) => new EvmClient(options),
  probe: probeNetwork,
};
