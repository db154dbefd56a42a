// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { toAddress } from '../../../libs/chain-tron/src/to-address.ts';

/** A key and its address, in every form in which TRON writes it. */
export interface TronAccount {
  /** 64 hexadecimal digits. */
  readonly privateKey: string;
  /** T… */
  readonly address: string;
  /** 41… */
  readonly hexAddress: string;
  /** 65 bytes (r, s, recovery id) as hexadecimal digits over a transaction's id, or the hash of a header. */
  sign(digest: string): string;
}

function createTronAccount(privateKey: string): TronAccount {
  const secret = Buffer.from(privateKey, 'hex');
  const digits = toDigits(secp256k1.getPublicKey(secret, false));
  return {
    privateKey,
    address: toAddress(digits),
    hexAddress: `41${digits}`,
    sign(digest) {
      const signature = secp256k1.sign(Buffer.from(digest, 'hex'), secret, {
        prehash: false,
        format: 'recovered',
      });
      // The recovery id stands in front here, and at the end on TRON.
      return Buffer.from([...signature.subarray(1), signature[0]!]).toString('hex');
    },
  };
}

/** The keys of everybody's local chains, one for each name; worth nothing. */
export function createNamedAccount(name: string): TronAccount {
  return createTronAccount(createHash('sha256').update(`chainwatch devnet ${name}`).digest('hex'));
}

/** `41…` of who made a signature. */
export function recoverSigner(txid: string, signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  const recovery = bytes[64]! % 27;
  const key = secp256k1.recoverPublicKey(
    Buffer.from([recovery, ...bytes.subarray(0, 64)]),
    Buffer.from(txid, 'hex'),
    { prehash: false },
  );
  return `41${toDigits(secp256k1.Point.fromBytes(key).toBytes(false))}`;
}

function toDigits(publicKey: Uint8Array): string {
  return Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex');
}
