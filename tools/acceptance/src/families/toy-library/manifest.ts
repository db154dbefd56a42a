import { networkSchema, parseNetworks, type FamilyManifest } from '@chainwatch/chain-core';

export const toyManifest: FamilyManifest = {
  name: 'toy',
  displayName: 'Toy',
  namespace: 'toy',
  networks: parseNetworks(networkSchema, [
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
    shortName: name,
    displayName: name,
    imageUrl: 'https://toy.example.com/logo.png',
    family: 'toy',
    isTestnet: isLocal,
    isLocal,
    aliases: [],
    native: { gid: `${gid}/slip44:1`, symbol: 'TOY', name: 'Toy', decimals: 2 },
    tokenNamespace: 'slip44',
    confirmation: { type: 'depth', depth: 2 },
    blockTimeMs: 1_000,
  };
}
