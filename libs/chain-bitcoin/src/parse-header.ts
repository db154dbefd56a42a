// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { isMerged, readAuxPow } from './aux-pow.ts';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import { ByteReader } from './byte-reader.ts';
import { hash256, scryptHash, toHashText } from './hash.ts';

/** What the bytes of a header say; they hold no height. */
export interface RawHeader {
  readonly hash: string;
  readonly parentHash: string;
  /** In byte order. */
  readonly merkleRoot: Buffer;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Bytes that it takes: 80, and with merged mining the proof behind them. */
  readonly length: number;
}

export type HeaderTraits = Pick<BitcoinTraits, 'proofOfWork' | 'mergedMining'>;

export const HEADER_LENGTH = 80;
const HASHES = { sha256d: hash256, scrypt: scryptHash } as const;

/**
 * A header from its bytes. Its hash is computed. The work must meet the difficulty that the header claims: its own or, with
 * merged mining, that of the other chain's header that commits to it.
 * @throws IncompleteBlockError when the bytes are too few or the work does not meet the difficulty
 */
export function parseHeader(bytes: Buffer, { proofOfWork, mergedMining }: HeaderTraits): RawHeader {
  if (bytes.length < HEADER_LENGTH)
    throw new IncompleteBlockError(`expected a header of ${HEADER_LENGTH} bytes, got ${bytes.length}`);
  const own = bytes.subarray(0, HEADER_LENGTH);
  const hashBytes = hash256(own);
  const hash = toHashText(hashBytes);
  const reader = new ByteReader(bytes, HEADER_LENGTH);
  const worked =
    mergedMining !== undefined && isMerged(own)
      ? readAuxPow(reader, { header: own, hashBytes, chainId: mergedMining.chainId })
      : own;
  const work = proofOfWork === 'sha256d' && worked === own ? hashBytes : HASHES[proofOfWork](worked);
  const bits = own.readUInt32LE(72);
  if (BigInt(`0x${toHashText(work)}`) > expandTarget(bits)) {
    throw new IncompleteBlockError(
      `header ${hash}: expected a hash at or below the target 0x${bits.toString(16)}, got a higher one`,
    );
  }
  return {
    hash,
    parentHash: toHashText(own, 4),
    merkleRoot: own.subarray(36, 68),
    timestamp: own.readUInt32LE(68),
    length: reader.at,
  };
}

/** The compact form of a target: an exponent of 256 and a signed mantissa of 3 bytes; a negative one is no target. */
function expandTarget(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7fffff);
  const shift = 8n * (BigInt(bits >>> 24) - 3n);
  if ((bits & 0x800000) !== 0 || shift > 256n) return -1n;
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}
