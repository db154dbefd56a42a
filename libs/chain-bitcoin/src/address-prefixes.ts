import type { Network } from '@chainwatch/chain-core';
import { bitcoinNetworks, readTraits } from './networks.ts';

interface Base58Version {
  readonly format: 'p2pkh' | 'p2sh';
  readonly networkGids: readonly string[];
}

/** Networks that write segwit addresses with a human-readable part, by that part: `tb` stands for three of them. */
export const segwitPrefixes: ReadonlyMap<string, readonly string[]> = groupGids(
  (network) => readTraits(network).bech32Hrp,
);

/** What a version byte of a Base58Check address stands for, by version. */
export const base58Versions: ReadonlyMap<number, Base58Version> = new Map([
  ...listVersions('p2pkh'),
  ...listVersions('p2sh'),
]);

function listVersions(format: Base58Version['format']): [number, Base58Version][] {
  return [...groupGids((network) => readTraits(network).base58[format])].map(([byte, networkGids]) => [
    byte,
    { format, networkGids },
  ]);
}

function groupGids<K>(keyOf: (network: Network) => K): Map<K, string[]> {
  const groups = new Map<K, string[]>();
  for (const network of bitcoinNetworks) {
    const key = keyOf(network);
    groups.set(key, [...(groups.get(key) ?? []), network.gid]);
  }
  return groups;
}
