// SPDX-License-Identifier: Apache-2.0
import type { FamilyManifest } from '@chainwatch/chain-core';
import { solanaCatalogue } from './networks.ts';
import { solanaCalendar } from './upgrades.ts';

export const solanaManifest: FamilyManifest = {
  name: 'solana',
  displayName: 'Solana',
  namespace: 'solana',
  catalogue: solanaCatalogue,
  proofsOf: () => ['transaction_signatures'],
  calendar: solanaCalendar,
  assetNamespaces: ['token'],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8899' },
  ],
};
