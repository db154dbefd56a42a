import type { ChainFamily } from '@chainwatch/chain-core';
import { EvmClient } from './evm-client.ts';
import { evmNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { toChecksumAddress } from './to-checksum-address.ts';

/** Ethereum and every chain that speaks its JSON-RPC. */
export const evmFamily: ChainFamily = {
  name: 'evm',
  namespace: 'eip155',
  networks: evmNetworks,
  parseAddress,
  displayAddress: toChecksumAddress,
  burnAddresses: ['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'],
  parseAssetPath,
  createClient: (options) => new EvmClient(options),
};
