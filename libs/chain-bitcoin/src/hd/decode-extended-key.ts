import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { InvalidPublicKeyError } from '@chainwatch/chain-core';
import { findPrefix, looksPrivate } from './extended-key-prefixes.ts';
import type { ExtendedKeyPrefix } from './extended-key-prefixes.ts';
import { hash160 } from './hash160.ts';

/** An extended public key of one signer, checked: its point is on the curve. */
export interface ExtendedKey {
  readonly prefix: ExtendedKeyPrefix;
  readonly depth: number;
  /** With the top bit set where hardened. */
  readonly childNumber: number;
  readonly chainCode: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** Of the key itself, not of its parent. */
  readonly fingerprint: string;
}

const serializedBytes = 78;
const checksumBytes = 4;

/**
 * Reads the serialization of BIP-32: version 4, depth 1, parent fingerprint 4, child number 4, chain code 32, key 33,
 * checksum 4. No message holds any of it.
 * @throws InvalidPublicKeyError
 */
export function decodeExtendedKey(text: string): ExtendedKey {
  // Before anything else can fail: who pastes a private key has to know.
  if (looksPrivate(text))
    throw invalid(
      `expected ${acceptedNames}, got a private key, which must never leave its owner: treat it as disclosed`,
    );
  const bytes = decodeBase58Check(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const prefix = acceptPrefix(bytes.subarray(0, 4));
  const publicKey = bytes.slice(45, 78);
  checkPoint(publicKey);
  const fingerprint = Buffer.from(hash160(publicKey).subarray(0, 4)).toString('hex');
  return {
    prefix,
    depth: view.getUint8(4),
    childNumber: view.getUint32(9),
    chainCode: bytes.slice(13, 45),
    publicKey,
    fingerprint,
  };
}

const acceptedNames =
  'an extended public key of one signer (xpub, ypub, zpub, or tpub, upub, vpub for a test network)';

function decodeBase58Check(text: string): Uint8Array {
  const bytes = decodeBase58(text);
  if (bytes.length !== serializedBytes + checksumBytes) {
    throw invalid(
      `expected ${serializedBytes} bytes and a checksum of ${checksumBytes}, got ${bytes.length} bytes in all`,
    );
  }
  const body = bytes.subarray(0, serializedBytes);
  const checksum = sha256(sha256(body)).subarray(0, checksumBytes);
  if (!checksum.every((byte, index) => byte === bytes[serializedBytes + index]))
    throw invalid('expected a matching Base58Check checksum, got another: a character is wrong or missing');
  return body;
}

function decodeBase58(text: string): Uint8Array {
  // Longer than any key: the time that Base58 takes grows with the square of its length.
  if (text.length > 120) throw invalid(`expected about 111 characters of Base58, got ${text.length}`);
  try {
    return base58.decode(text);
  } catch {
    // The cause would hold the text.
    throw invalid('expected Base58 characters only (no 0, O, I or l), got others');
  }
}

function acceptPrefix(version: Uint8Array): ExtendedKeyPrefix {
  const prefix = findPrefix(version);
  if (prefix === undefined) throw invalid(`expected ${acceptedNames}, got unknown version bytes`);
  if (!prefix.isPublic)
    throw invalid(
      `expected ${acceptedNames}, got a private key, which must never leave its owner: treat it as disclosed`,
    );
  if (prefix.isMultisig === true)
    throw invalid(`expected ${acceptedNames}, got the key of a multisig wallet (${prefix.name})`);
  return prefix;
}

function checkPoint(publicKey: Uint8Array): void {
  if (publicKey[0] !== 2 && publicKey[0] !== 3)
    throw invalid('expected a compressed public key that begins with 02 or 03, got another first byte');
  try {
    secp256k1.Point.fromBytes(publicKey);
  } catch {
    throw invalid('expected a point of the curve secp256k1, got an x coordinate that has none');
  }
}

function invalid(message: string): InvalidPublicKeyError {
  return new InvalidPublicKeyError(message, { field: 'extended_public_key' });
}
