// SPDX-License-Identifier: Apache-2.0
import { NetworkCatalogue, networkSchema, type FamilyManifest } from '@chainwatch/chain-core';

export const toyManifest: FamilyManifest = {
  name: 'toy',
  displayName: 'Toy',
  namespace: 'toy',
  catalogue: new NetworkCatalogue(networkSchema, [
    describeNetwork('town', 'toy', false),
    describeNetwork('village', 'toy-village', true),
  ]),
  calendar: { reviewed: '2026-11-27', upgrades: [] },
  assetNamespaces: [],
  interfaces: [{ name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com' }],
};

function describeNetwork(reference: string, name: string, isLocal: boolean): unknown {
  const gid = `toy:${reference}`;
  return {
    gid,
    name,
    family: 'toy',
    short_name: name,
    display_name: name,
    image_url: 'https://toy.example.com/logo.png',
    is_testnet: isLocal,
    is_local: isLocal,
    native: { gid: `${gid}/slip44:1`, symbol: 'TOY', name: 'Toy', decimals: 2 },
    token_namespace: 'slip44',
    confirmation: { type: 'depth', depth: 2 },
    block_time_ms: 1_000,
  };
}
