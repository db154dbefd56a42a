import type { FamilyManifest } from '@chainwatch/chain-core';
import { bitcoinCatalogue } from './networks.ts';
import { bitcoinCalendar } from './upgrades.ts';

export const bitcoinManifest: FamilyManifest = {
  name: 'bitcoin',
  displayName: 'Bitcoin',
  namespace: 'bip122',
  catalogue: bitcoinCatalogue,
  calendar: bitcoinCalendar,
  assetNamespaces: [],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8332' },
  ],
  normalizeReference: (reference) => reference.toLowerCase(),
};
