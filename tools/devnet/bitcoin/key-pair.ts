// SPDX-License-Identifier: Apache-2.0
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { crypto } from 'bitcoinjs-lib';

const { Fn } = secp256k1.Point;

export interface KeyPair {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** The public key of the P2TR output that only this key spends (BIP-86), 32 bytes. */
  readonly outputKey: Uint8Array;
  /** ECDSA, 64 bytes, low S. */
  sign(hash: Uint8Array): Uint8Array;
  /** BIP-340 by the key behind `outputKey`. */
  signTaproot(hash: Uint8Array): Uint8Array;
}

/** @param secret 32 bytes */
export function createKeyPair(secret: Uint8Array): KeyPair {
  const publicKey = secp256k1.getPublicKey(secret);
  const tweaked = tweakSecret(secret, publicKey);
  return {
    publicKey,
    outputKey: schnorr.getPublicKey(tweaked),
    sign: (hash) => secp256k1.sign(hash, secret, { prehash: false }),
    signTaproot: (hash) => schnorr.sign(hash, tweaked),
  };
}

/** BIP-341: of the two secrets with the same x that of the even y, plus the hash of x. */
function tweakSecret(secret: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const even = publicKey[0] === 0x02 ? Fn.fromBytes(secret) : Fn.neg(Fn.fromBytes(secret));
  return Fn.toBytes(Fn.add(even, Fn.fromBytes(crypto.taggedHash('TapTweak', publicKey.subarray(1)))));
}
