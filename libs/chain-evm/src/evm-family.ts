import type { ChainFamily } from '@chainwatch/chain-core';
import { EvmClient } from './evm-client.ts';
import { evmNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';

/** Ethereum and every chain that speaks its JSON-RPC. */
export const evmFamily: ChainFamily = {
  name: 'evm',
  namespace: 'eip155',
  networks: evmNetworks,
  parseAddress,
  parseAssetPath,
  createClient: (options) => new EvmClient(options),
};
