import type { FamilyManifest } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';
import { solanaCalendar } from './upgrades.ts';

export const solanaManifest: FamilyManifest = {
  name: 'solana',
  displayName: 'Solana',
  namespace: 'solana',
  networks: solanaNetworks,
  calendar: solanaCalendar,
  assetNamespaces: ['token'],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8899' },
  ],
};
