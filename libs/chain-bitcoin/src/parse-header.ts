import { IncompleteBlockError } from '@chainwatch/chain-core';
import { hash256, toHashText } from './hash.ts';

/** What the 80 bytes of a header say; they hold no height. */
export interface RawHeader {
  readonly hash: string;
  readonly parentHash: string;
  /** In byte order. */
  readonly merkleRoot: Buffer;
  /** Unix seconds. */
  readonly timestamp: number;
}

export const HEADER_LENGTH = 80;

/**
 * A header from its bytes. Its hash is computed, and must meet the difficulty that the header claims.
 * @throws IncompleteBlockError when the bytes are too few or the hash does not meet the difficulty
 */
export function parseHeader(bytes: Buffer): RawHeader {
  if (bytes.length < HEADER_LENGTH)
    throw new IncompleteBlockError(`expected a header of ${HEADER_LENGTH} bytes, got ${bytes.length}`);
  const hash = toHashText(hash256(bytes.subarray(0, HEADER_LENGTH)));
  const bits = bytes.readUInt32LE(72);
  if (BigInt(`0x${hash}`) > expandTarget(bits)) {
    throw new IncompleteBlockError(
      `header ${hash}: expected a hash at or below the target 0x${bits.toString(16)}, got a higher one`,
    );
  }
  return {
    hash,
    parentHash: toHashText(bytes, 4),
    merkleRoot: bytes.subarray(36, 68),
    timestamp: bytes.readUInt32LE(68),
  };
}

/** The compact form of a target: an exponent of 256 and a signed mantissa of 3 bytes; a negative one is no target. */
function expandTarget(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7fffff);
  const shift = 8n * (BigInt(bits >>> 24) - 3n);
  if ((bits & 0x800000) !== 0 || shift > 256n) return -1n;
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}
