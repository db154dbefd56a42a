// SPDX-License-Identifier: Apache-2.0
export const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Cryptographically secure bytes, as `randomBytes` of node:crypto gives them. */
export type RandomBytes = (size: number) => Uint8Array;

/** The largest multiple of 62 that a byte can hold: higher bytes are drawn again, or the first digits would come more often. */
const UNBIASED_LIMIT = 248;

/** A good source refuses 3 % of the bytes; one that gives nothing usable in so many rounds is broken. */
const ROUNDS_MAX = 100;

/** @throws Error when the source of randomness is broken */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_LIMIT) text += BASE62_ALPHABET.charAt(byte % 62);
    }
    if (text.length >= length) return text.slice(0, length);
  }
  throw new Error(
    `expected ${length} base62 characters from the random source, got ${text.length} in ${ROUNDS_MAX} rounds`,
  );
}

/** Most significant digit first, left-padded with `0` (decisions.md §1, vectors). */
export function encodeBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = BASE62_ALPHABET.charAt(rest % 62) + text;
  }
  return text;
}
