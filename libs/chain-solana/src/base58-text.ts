const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** 58^5, the most that fits beside 16 bits in a number without loss. */
const CHUNK = 58 ** 5;
const CHUNK_DIGITS = 5;
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
/** Digits of signatures (64 bytes) and keys (32 bytes) fit. */
const scratch = new Uint16Array(32);
const digits = Buffer.alloc(100);

/**
 * Base58 of `length` bytes (even, at most 64): blocks name thousands of keys, and the general encoder works byte by byte.
 */
export function toBase58(bytes: Uint8Array, offset: number, length: number): string {
  const words = length >> 1;
  for (let index = 0; index < words; index += 1) scratch[index] = (bytes[offset + 2 * index]! << 8) | bytes[offset + 2 * index + 1]!;
  let end = digits.length;
  for (let first = 0; first < words; ) {
    let remainder = 0;
    for (let index = first; index < words; index += 1) {
      const value = remainder * 65_536 + scratch[index]!;
      const quotient = Math.floor(value / CHUNK);
      scratch[index] = quotient;
      remainder = value - quotient * CHUNK;
    }
    while (first < words && scratch[first] === 0) first += 1;
    for (let count = 0; count < CHUNK_DIGITS; count += 1) {
      const quotient = Math.floor(remainder / 58);
      digits[(end -= 1)] = remainder - quotient * 58;
      remainder = quotient;
    }
  }
  while (end < digits.length && digits[end] === 0) end += 1;
  for (let index = 0; index < length && bytes[offset + index] === 0; index += 1) digits[(end -= 1)] = 0;
  for (let index = end; index < digits.length; index += 1) digits[index] = CODES[digits[index]!]!;
  return digits.toString('latin1', end);
}
