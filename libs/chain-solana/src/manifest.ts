import type { FamilyManifest } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';

export const solanaManifest: FamilyManifest = {
  name: 'solana',
  displayName: 'Solana',
  namespace: 'solana',
  networks: solanaNetworks,
  assetNamespaces: ['token'],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8899' },
  ],
};
