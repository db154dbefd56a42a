// SPDX-License-Identifier: Apache-2.0
import type { FamilyManifest } from '@chainwatch/chain-core';
import { evmCatalogue, readTraits, traitsAt } from './networks.ts';
import { evmCalendar } from './upgrades.ts';

export const evmManifest: FamilyManifest = {
  name: 'evm',
  displayName: 'EVM',
  namespace: 'eip155',
  catalogue: evmCatalogue,
  proofsOf: (network, number) => {
    const { header, roots } = traitsAt(readTraits(network), number);
    return [
      ...(header === 'strict' ? ['header_hash'] : []),
      ...(roots === 'strict' ? ['transactions_root', 'receipts_root'] : ['logs_bloom']),
    ];
  },
  calendar: evmCalendar,
  assetNamespaces: ['erc20', 'bep20'],
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8545' },
  ],
  normalizeReference: (reference) =>
    /^\d{1,32}$/.test(reference) ? BigInt(reference).toString() : reference,
};
