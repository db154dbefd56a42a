// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { InvalidPublicKeyError } from '@chainwatch/chain-core';
import { findPrefix, looksPrivate, listOwnKeyNames } from './extended-key-prefixes.ts';
import type { ExtendedKeyPrefix } from './extended-key-prefixes.ts';

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
