// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { coinTypeOf } from '../coin-type.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';

export interface ExtendedKeyPrefix {
  readonly name: string;
  readonly version: number;
  readonly isPublic: boolean;
  readonly isTest: boolean;
  /**
   * The purpose that the prefix stands for. Absent: the path alone decides, because most wallets write `xpub`
   * for every purpose.
   */
  readonly purpose?: number;
  /** The coin type that the prefix stands for. Absent: the path alone decides. */
  readonly coinType?: number;
  readonly isMultisig?: boolean;
}

/** Version bytes of extended keys (BIP-32, SLIP-132), so that what is refused can be named. */
const PREFIXES: readonly ExtendedKeyPrefix[] = [
  { name: 'xpub', version: 0x0488b21e, isPublic: true, isTest: false },
  { name: 'ypub', version: 0x049d7cb2, isPublic: true, isTest: false, purpose: 49 },
  { name: 'zpub', version: 0x04b24746, isPublic: true, isTest: false, purpose: 84 },
  { name: 'tpub', version: 0x043587cf, isPublic: true, isTest: true },
  { name: 'upub', version: 0x044a5262, isPublic: true, isTest: true, purpose: 49 },
  { name: 'vpub', version: 0x045f1cf6, isPublic: true, isTest: true, purpose: 84 },
  { name: 'Ypub', version: 0x0295b43f, isPublic: true, isTest: false, isMultisig: true },
  { name: 'Zpub', version: 0x02aa7ed3, isPublic: true, isTest: false, isMultisig: true },
  { name: 'Upub', version: 0x024289ef, isPublic: true, isTest: true, isMultisig: true },
  { name: 'Vpub', version: 0x02575483, isPublic: true, isTest: true, isMultisig: true },
  { name: 'xprv', version: 0x0488ade4, isPublic: false, isTest: false },
  { name: 'yprv', version: 0x049d7878, isPublic: false, isTest: false },
  { name: 'zprv', version: 0x04b2430c, isPublic: false, isTest: false },
  { name: 'tprv', version: 0x04358394, isPublic: false, isTest: true },
  { name: 'uprv', version: 0x044a4e28, isPublic: false, isTest: true },
  { name: 'vprv', version: 0x045f18bc, isPublic: false, isTest: true },
  { name: 'Yprv', version: 0x0295b005, isPublic: false, isTest: false, isMultisig: true },
  { name: 'Zprv', version: 0x02aa7a99, isPublic: false, isTest: false, isMultisig: true },
  { name: 'Uprv', version: 0x024285b5, isPublic: false, isTest: true, isMultisig: true },
  { name: 'Vprv', version: 0x02575048, isPublic: false, isTest: true, isMultisig: true },
];

/** The keys of networks that have some of their own, by the coin type of their paths. */
function listOwn(networks: readonly Network[]): ExtendedKeyPrefix[] {
  return networks.flatMap((network) =>
    readTraits(network).extendedKeys.flatMap(({ purpose, ...keys }) =>
      (['public', 'private'] as const).map((kind) => ({
        name: keys[kind].name,
        version: parseInt(keys[kind].version, 16),
        isPublic: kind === 'public',
        isTest: network.isTestnet,
        purpose,
        coinType: coinTypeOf(network),
      })),
    ),
  );
}

const all = bitcoinCatalogue.derive((networks) => {
  const prefixes: readonly ExtendedKeyPrefix[] = [...PREFIXES, ...listOwn(networks)];
  return {
    prefixes,
    privateNames: new Set(prefixes.flatMap(({ name, isPublic }) => (isPublic ? [] : [name.toLowerCase()]))),
  };
});

/** Names of the keys that networks have beside those of Bitcoin. */
export function listOwnKeyNames(): readonly string[] {
  return all().prefixes.flatMap(({ name, isPublic, coinType }) =>
    isPublic && coinType !== undefined ? [name] : [],
  );
}

/** Undefined for version bytes that nobody registered. */
export function findPrefix(version: number): ExtendedKeyPrefix | undefined {
  return all().prefixes.find((prefix) => prefix.version === version);
}

/** Whether a text begins like a private key, even if the rest of it is broken. */
export function looksPrivate(text: string): boolean {
  return all().privateNames.has(text.slice(0, 4).toLowerCase());
}
