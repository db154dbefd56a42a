// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Bytes are taken two at a time; a signature has 64. */
const WORDS_MAX = 32;
/** Limbs of five digits each: 18 hold 64 bytes. */
const LIMB = 58 ** 5;
const LIMB_DIGITS = 5;
const LIMBS_MAX = 18;
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const ONE = CODES[0]!;

/** `POWERS[limb * WORDS_MAX + word]`: that limb of 2^(16 × word), the least first. */
const POWERS = listPowers();
/** By limb: the first word whose power reaches up to it. The last limb only takes a carry. */
const FIRST_WORDS = Array.from({ length: LIMBS_MAX }, (_, limb) => findFirstWord(limb));

const words = new Float64Array(WORDS_MAX);
const text = Buffer.alloc(LIMBS_MAX * LIMB_DIGITS);

/**
 * Base58 of `length` bytes (even, at most 64): blocks name thousands of keys and signatures, and the general encoder
 * divides byte by byte. Each limb is a sum of products instead, at most 2^51, which numbers hold without loss.
 */
export function toBase58(bytes: Uint8Array, offset: number, length: number): string {
  const count = length >> 1;
  for (let word = 0, at = offset + length; word < count; word += 1) {
    at -= 2;
    words[word] = (bytes[at]! << 8) | bytes[at + 1]!;
  }
  let start = text.length;
  let sum = 0;
  for (let limb = 0; sum > 0 || FIRST_WORDS[limb]! < count; limb += 1) {
    const row = limb * WORDS_MAX;
    for (let word = FIRST_WORDS[limb]!; word < count; word += 1) sum += words[word]! * POWERS[row + word]!;
    const carry = Math.floor(sum / LIMB);
    start = writeLimb(sum - carry * LIMB, start);
    sum = carry;
  }
  while (start < text.length && text[start] === ONE) start += 1;
  for (let index = 0; index < length && bytes[offset + index] === 0; index += 1) text[(start -= 1)] = ONE;
  return text.toString('latin1', start);
}

/** Decoding takes the square of the length; the library refuses longer texts. */
const TEXT_MAX = 4_096;

/** @throws RangeError where it is no Base58, or has more than 4,096 characters */
export function fromBase58(encoded: string): Uint8Array {
  if (encoded.length > TEXT_MAX)
    throw new RangeError(`expected at most ${TEXT_MAX} characters of Base58, got ${encoded.length}`);
  try {
    return base58.decode(encoded);
  } catch (cause) {
    throw new RangeError('expected Base58, got something else', { cause });
  }
}

/** Five digits before `end`. */
function writeLimb(value: number, end: number): number {
  let rest = value | 0;
  let at = end;
  for (let digit = 0; digit < LIMB_DIGITS; digit += 1) {
    const quotient = (rest / 58) | 0;
    text[(at -= 1)] = CODES[rest - quotient * 58]!;
    rest = quotient;
  }
  return at;
}

function findFirstWord(limb: number): number {
  const found = POWERS.subarray(limb * WORDS_MAX, (limb + 1) * WORDS_MAX).findIndex((part) => part !== 0);
  return found < 0 ? WORDS_MAX : found;
}

function listPowers(): Float64Array {
  const powers = new Float64Array(LIMBS_MAX * WORDS_MAX);
  for (let word = 0; word < WORDS_MAX; word += 1) {
    let rest = 1n << BigInt(16 * word);
    for (let limb = 0; rest > 0n; limb += 1, rest /= BigInt(LIMB))
      powers[limb * WORDS_MAX + word] = Number(rest % BigInt(LIMB));
  }
  return powers;
}
