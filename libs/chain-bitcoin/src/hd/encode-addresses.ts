import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { addBaseMultiples } from './base-multiples.ts';
import type { AffinePoint } from './base-multiples.ts';
import { hash160 } from './hash160.ts';
import { compress } from './public-node.ts';

/** What addresses of a network begin with. */
export interface AddressPrefixes {
  readonly p2pkh: number;
  readonly p2sh: number;
  readonly bech32Hrp: string;
}

export type HdFormat = 'p2pkh' | 'p2sh-p2wpkh' | 'p2wpkh' | 'p2tr';

const base58check = createBase58check(sha256);

/** The address that each key receives at. Here and not by way of scripts, so that the thread loads little. */
export function encodeAddresses(
  points: readonly AffinePoint[],
  format: HdFormat,
  prefixes: AddressPrefixes,
): string[] {
  switch (format) {
    case 'p2pkh':
      return points.map((point) => encodeBase58(prefixes.p2pkh, hash160(compress(point))));
    case 'p2sh-p2wpkh':
      return points.map((point) =>
        encodeBase58(prefixes.p2sh, hash160(Uint8Array.of(0x00, 0x14, ...hash160(compress(point))))),
      );
    case 'p2wpkh':
      return points.map((point) =>
        bech32.encode(prefixes.bech32Hrp, [0, ...bech32.toWords(hash160(compress(point)))]),
      );
    case 'p2tr':
      return tweakForTaproot(points).map((point) =>
        bech32m.encode(prefixes.bech32Hrp, [1, ...bech32m.toWords(compress(point).subarray(1))]),
      );
  }
}

function encodeBase58(version: number, hash: Uint8Array): string {
  return base58check.encode(Uint8Array.of(version, ...hash));
}

/** BIP-86: the key with even y, tweaked by its own tagged hash, commits to no script. */
function tweakForTaproot(points: readonly AffinePoint[]): AffinePoint[] {
  const even = points.map(({ x, y }) => ({ x, y: (y & 1n) === 0n ? y : secp256k1.Point.Fp.ORDER - y }));
  return addBaseMultiples(
    even,
    even.map((point) => schnorr.utils.taggedHash('TapTweak', compress(point).subarray(1))),
  );
}
