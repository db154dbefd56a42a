import type { ChainFamily } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { SolanaClient } from './solana-client.ts';

/** Solana's clusters. */
export const solanaFamily: ChainFamily = {
  name: 'solana',
  namespace: 'solana',
  networks: solanaNetworks,
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8899' },
  ],
  parseAddress,
  // The system program, whose key is zero, and the incinerator.
  burnAddresses: ['11111111111111111111111111111111', '1nc1nerator11111111111111111111111111111111'],
  parseAssetPath,
  createClient: (options) => new SolanaClient(options),
};
