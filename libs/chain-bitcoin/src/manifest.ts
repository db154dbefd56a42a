// SPDX-License-Identifier: Apache-2.0
import type { FamilyManifest } from '@chainwatch/chain-core';
import { bitcoinCatalogue, readTraits } from './networks.ts';
import { bitcoinCalendar } from './upgrades.ts';

export const bitcoinManifest: FamilyManifest = {
  name: 'bitcoin',
  displayName: 'Bitcoin',
  namespace: 'bip122',
  catalogue: bitcoinCatalogue,
  proofsOf: (network, number) => {
    const { segwitHeight } = readTraits(network);
    const hasWitnesses = segwitHeight !== undefined && number >= segwitHeight;
    return ['header_hash', 'merkle_root', ...(hasWitnesses ? ['witness_commitment'] : [])];
  },
  calendar: bitcoinCalendar,
  assetNamespaces: [],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8332' },
  ],
  normalizeReference: (reference) => reference.toLowerCase(),
};
