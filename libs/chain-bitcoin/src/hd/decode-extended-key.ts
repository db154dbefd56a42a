// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { InvalidPublicKeyError, type Network } from '@chainwatch/chain-core';
import { coinTypeOf } from '../coin-type.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';

/** An extended public key of one signer, checked: its point is on the curve. */
export interface ExtendedKey {
  readonly prefix: ExtendedKeyPrefix;
  readonly depth: number;
  /** With the top bit set where hardened. */
  readonly childNumber: number;
  /** Fingerprint of the key itself, not of its parent. */
  readonly fingerprint: string;
}

const CHARACTERS = 111;
const DEPTH_AT = 4;
const KEY_AT = 45;
const base58check = createBase58check(sha256);

/**
 * Reads the serialization of BIP-32 by @scure/bip32, under the version that the key begins with (SLIP-132).
 * Keys that the library would wrongly accept, or refuse without naming the fault, are refused here first. No
 * message holds any of the text.
 * @throws InvalidPublicKeyError
 */
export function decodeExtendedKey(text: string): ExtendedKey {
  // Checked before anything else can fail: somebody who pastes a private key must be told.
  if (looksPrivate(text)) throw privateKey();
  const bytes = decodeBase58Check(text);
  const prefix = acceptPrefix(bytes);
  if (bytes[KEY_AT] !== 2 && bytes[KEY_AT] !== 3)
    throw invalid('expected a compressed public key that begins with 02 or 03, got another first byte');
  const node = readNode(text, bytes, prefix);
  return {
    prefix,
    depth: node.depth,
    childNumber: node.index,
    fingerprint: node.fingerprint.toString(16).padStart(8, '0'),
  };
}

const listNames = (): string => ['xpub', 'ypub', 'zpub', ...listOwnKeyNames()].join(', ');
const acceptedNames = (): string =>
  `an extended public key of one signer (${listNames()}, or tpub, upub, vpub for a test network)`;

function decodeBase58Check(text: string): Uint8Array {
  if (/[^1-9A-HJ-NP-Za-km-z]/.test(text))
    throw invalid('expected Base58 characters only (no 0, O, I or l), got others');
  // Also bounds the work: the time for Base58 grows with the square of the length.
  if (text.length !== CHARACTERS)
    throw invalid(`expected ${CHARACTERS} characters of Base58, got ${text.length}`);
  try {
    return base58check.decode(text);
  } catch {
    // The cause would hold the text.
    throw invalid('expected a matching Base58Check checksum, got another: a character is wrong or missing');
  }
}

function acceptPrefix(bytes: Uint8Array): ExtendedKeyPrefix {
  const prefix = findPrefix(Buffer.from(bytes).readUInt32BE());
  if (prefix === undefined) throw invalid(`expected ${acceptedNames()}, got unknown version bytes`);
  if (!prefix.isPublic) throw privateKey();
  if (prefix.isMultisig === true)
    throw invalid(`expected ${acceptedNames()}, got the key of a multisig wallet (${prefix.name})`);
  return prefix;
}

function readNode(text: string, bytes: Uint8Array, { version }: ExtendedKeyPrefix): HDKey {
  // A master key has no parent and no child number; a key that claims one is malformed.
  if (bytes[DEPTH_AT] === 0) throw invalid('expected the key of an account, depth 3, got depth 0');
  try {
    return HDKey.fromExtendedKey(text, { public: version, private: 0 });
  } catch {
    throw invalid('expected a point of the curve secp256k1, got an x coordinate that has none');
  }
}

function privateKey(): InvalidPublicKeyError {
  return invalid(
    `expected ${acceptedNames()}, got a private key, which must never leave its owner: treat it as disclosed`,
  );
}

function invalid(message: string): InvalidPublicKeyError {
  return new InvalidPublicKeyError(message, { field: 'extended_public_key' });
}

interface ExtendedKeyPrefix {
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
function listOwnKeyNames(): readonly string[] {
  return all().prefixes.flatMap(({ name, isPublic, coinType }) =>
    isPublic && coinType !== undefined ? [name] : [],
  );
}

/** Undefined for version bytes that nobody registered. */
function findPrefix(version: number): ExtendedKeyPrefix | undefined {
  return all().prefixes.find((prefix) => prefix.version === version);
}

/** Whether a text begins like a private key, even if the rest of it is broken. */
function looksPrivate(text: string): boolean {
  return all().privateNames.has(text.slice(0, 4).toLowerCase());
}
