import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addBaseMultiples } from './base-multiples.ts';
import type { AffinePoint } from './base-multiples.ts';

/** A public key that can have children (BIP-32): its point is kept decoded, every child adds to it. */
export interface PublicNode {
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  readonly point: AffinePoint;
}

export function toPublicNode(publicKey: Uint8Array, chainCode: Uint8Array): PublicNode {
  return { publicKey, chainCode, point: secp256k1.Point.fromBytes(publicKey).toAffine() };
}

/** One child with its chain code. */
export function deriveNode(parent: PublicNode, index: number): PublicNode {
  const { tweak, chainCode } = hashChild(parent, index);
  const [point] = addBaseMultiples([parent.point], [tweak]);
  return { publicKey: compress(point!), chainCode, point: point! };
}

/** The points of many children: CKDpub of BIP-32. */
export function derivePoints(parent: PublicNode, indexes: readonly number[]): AffinePoint[] {
  return addBaseMultiples(
    indexes.map(() => parent.point),
    indexes.map((index) => hashChild(parent, index).tweak),
  );
}

/** 33 bytes: whether y is odd, and x. */
export function compress({ x, y }: AffinePoint): Buffer {
  return Buffer.from(`${(y & 1n) === 0n ? '02' : '03'}${x.toString(16).padStart(64, '0')}`, 'hex');
}

function hashChild(parent: PublicNode, index: number): { tweak: Uint8Array; chainCode: Uint8Array } {
  const data = Buffer.alloc(37);
  data.set(parent.publicKey);
  data.writeUInt32BE(index, 33);
  const hash = createHmac('sha512', parent.chainCode).update(data).digest();
  return { tweak: hash.subarray(0, 32), chainCode: hash.subarray(32) };
}
