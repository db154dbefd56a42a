import { createHmac } from 'node:crypto';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';

export type Point = InstanceType<typeof secp256k1.Point>;

const { Point } = secp256k1;
const order = Point.Fn.ORDER;

/** A public key that can have children (BIP-32): its point is kept decoded, every child adds to it. */
export interface PublicNode {
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  readonly point: Point;
}

export function toPublicNode(publicKey: Uint8Array, chainCode: Uint8Array): PublicNode {
  return { publicKey, chainCode, point: Point.fromBytes(publicKey) };
}

/** One child with its chain code. */
export function deriveNode(parent: PublicNode, index: number): PublicNode {
  const { tweak, chainCode } = hashChild(parent, index);
  const point = addTweak(parent.point, tweak);
  return { publicKey: point.toBytes(true), chainCode, point };
}

/**
 * The points of many children: CKDpub of BIP-32, one HMAC, one multiplication of the base point from its precomputed
 * table and one addition each, then one inversion for all of them.
 */
export function derivePoints(parent: PublicNode, indexes: readonly number[]): Point[] {
  return normalizeZ(Point, indexes.map((index) => addTweak(parent.point, hashChild(parent, index).tweak)));
}

/** `point + tweak·G`. Nothing here is secret, so it need not take the same time for every tweak. */
export function addTweak(point: Point, tweak: bigint): Point {
  // Both have a probability below 2⁻¹²⁷ (BIP-32, BIP-341): such an index has no address.
  if (tweak >= order) throw new Error('expected a tweak below the order of the curve, got a greater one: the index has no address');
  const sum = Point.BASE.multiplyUnsafe(tweak).add(point);
  if (sum.is0()) throw new Error('expected a point, got the point at infinity: the index has no address');
  return sum;
}

export function toScalar(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function hashChild(parent: PublicNode, index: number): { tweak: bigint; chainCode: Uint8Array } {
  const data = Buffer.alloc(37);
  data.set(parent.publicKey);
  data.writeUInt32BE(index, 33);
  const hash = createHmac('sha512', parent.chainCode).update(data).digest();
  return { tweak: toScalar(hash.subarray(0, 32)), chainCode: hash.subarray(32) };
}
