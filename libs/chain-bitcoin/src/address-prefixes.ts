// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { bitcoinCatalogue, readTraits } from './networks.ts';

export type Base58Format = 'p2pkh' | 'p2sh';

/** A network that reads a version byte, and what it reads there. */
interface Base58Reader {
  readonly network: Network;
  readonly format: Base58Format;
  /** False where the network writes such an address in another way. */
  readonly isWritten: boolean;
}

/** Networks that write segwit addresses with a human-readable part, by that part: `tb` stands for three of them. */
export const segwitPrefixes = groupGids((network) => readTraits(network).bech32Hrp);

/** Networks that write CashAddr, by prefix. */
export const cashPrefixes = groupGids((network) => readTraits(network).cashAddrPrefix);

/** Names of the networks whose MWEB addresses begin so. */
export const mwebPrefixes = groupGids(
  (network) => readTraits(network).mweb?.hrp,
  ({ displayName }) => displayName,
);

/** The networks that read an address of Base58Check, by version byte: those that write it first. */
export const base58Readers = bitcoinCatalogue.derive(groupReaders);

function groupReaders(networks: readonly Network[]): ReadonlyMap<number, readonly Base58Reader[]> {
  const readers = new Map<number, Base58Reader[]>();
  const add = (byte: number | undefined, reader: Base58Reader): void => {
    if (byte !== undefined) readers.set(byte, [...(readers.get(byte) ?? []), reader]);
  };
  for (const network of networks) {
    const { base58, cashAddrPrefix } = readTraits(network);
    const isWritten = cashAddrPrefix === undefined;
    add(base58.p2pkh, { network, format: 'p2pkh', isWritten });
    add(base58.p2sh, { network, format: 'p2sh', isWritten });
    add(base58.oldP2sh, { network, format: 'p2sh', isWritten: false });
  }
  for (const all of readers.values()) all.sort((a, b) => Number(b.isWritten) - Number(a.isWritten));
  return readers;
}

function groupGids(
  keyOf: (network: Network) => string | undefined,
  valueOf: (network: Network) => string = ({ gid }) => gid,
): () => ReadonlyMap<string, readonly string[]> {
  return bitcoinCatalogue.derive((networks) => {
    const groups = new Map<string, string[]>();
    for (const network of networks) {
      const key = keyOf(network);
      if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), valueOf(network)]);
    }
    return groups;
  });
}
