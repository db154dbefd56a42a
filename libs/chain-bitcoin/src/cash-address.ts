// SPDX-License-Identifier: Apache-2.0
import { bech32 } from '@scure/base';
import { InvalidAddressError } from '@chainwatch/chain-core';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_LENGTH = 8;
/** Bytes of the hash, by the lowest three bits of the version. */
const HASH_BYTES = [20, 24, 28, 32, 40, 48, 56, 64] as const;
/** Upper and lower 20 bits of the generator (CashAddr, section "Checksum"): a number of JavaScript shifts 32 bits only. */
const GENERATOR = [
  [0x98f2b, 0xc8e61],
  [0x79b76, 0xd99e2],
  [0xf33e5, 0xfb3c4],
  [0xae2ea, 0xbe2a8],
  [0x1e4f4, 0x3e470],
] as const;

/** What a CashAddr address says. */
export interface CashAddress {
  /** 0 P2PKH, 1 P2SH; 2 and 3 the same for whoever takes tokens as well (CHIP-2022-02 CashTokens). */
  readonly type: number;
  readonly hash: Buffer;
}

/** Whether a text may be the part behind `prefix:`, of a hash of 20 or 32 bytes. */
export const CASH_SHAPE = /^[qpzr](?:[02-9ac-hj-np-z]{41}|[02-9ac-hj-np-z]{60})$/i;

/**
 * Reads the part of a CashAddr address behind `prefix:`.
 * @throws InvalidAddressError that says which rule is broken
 */
export function decodeCashAddress(prefix: string, payload: string): CashAddress {
  const words = readWords(prefix, payload);
  if (!isValid(prefix, words))
    throw new InvalidAddressError(
      `address checksum (CashAddr) is wrong: expected that of the prefix ${prefix}, got another: a character is wrong, missing or too many, or the address is of another network`,
    );
  const [version = -1, ...hash] = readBytes(words.slice(0, -CHECKSUM_LENGTH));
  const expected = HASH_BYTES[version & 7];
  if (version < 0 || version > 0x7f || hash.length !== expected)
    throw new InvalidAddressError(
      `address has a wrong version or length: expected a hash of ${expected} bytes, got ${hash.length}`,
    );
  return { type: version >> 3, hash: Buffer.from(hash) };
}

/** @param hash of 20 or 32 bytes */
export function encodeCashAddress(prefix: string, { type, hash }: CashAddress): string {
  const version = (type << 3) | HASH_BYTES.indexOf(hash.length as 20);
  const words = bech32.toWords(Uint8Array.of(version, ...hash));
  const [upper, lower] = polymod([...expand(prefix), ...words, ...Array<number>(CHECKSUM_LENGTH).fill(0)]);
  const checksum = [15, 10, 5, 0].flatMap((shift) => (upper >>> shift) & 31);
  checksum.push(...[15, 10, 5, 0].map((shift) => (lower >>> shift) & 31));
  return `${prefix}:${[...words, ...checksum].map((word) => ALPHABET.charAt(word)).join('')}`;
}

function readWords(prefix: string, payload: string): number[] {
  if (payload !== payload.toLowerCase() && payload !== payload.toUpperCase())
    throw new InvalidAddressError('address is in mixed case: expected all lower or all upper case, got both');
  const words = [...payload.toLowerCase()].map((character) => ALPHABET.indexOf(character));
  const wrong = words.indexOf(-1);
  if (wrong >= 0)
    throw new InvalidAddressError(
      `address has an illegal character: expected letters and digits other than 1, b, i and o after ${prefix}:, got ${JSON.stringify([...payload][wrong])}`,
    );
  if (words.length <= CHECKSUM_LENGTH)
    throw new InvalidAddressError(
      `address has a wrong length: expected a version, a hash and a checksum after ${prefix}:, got ${words.length} characters`,
    );
  return words;
}

function readBytes(words: number[]): Uint8Array {
  try {
    return bech32.fromWords(words);
  } catch {
    throw new InvalidAddressError(
      'address has wrong padding: expected zero bits after the last byte, got others',
    );
  }
}

function isValid(prefix: string, words: readonly number[]): boolean {
  const [upper, lower] = polymod([...expand(prefix), ...words]);
  return upper === 0 && lower === 0;
}

/** The lowest five bits of each character, and a zero. */
function expand(prefix: string): number[] {
  return [...Buffer.from(prefix, 'latin1').map((character) => character & 31), 0];
}

/** The checksum of 40 bits, as two halves. */
function polymod(words: readonly number[]): readonly [upper: number, lower: number] {
  let upper = 0;
  let lower = 1;
  for (const word of words) {
    const top = upper >>> 15;
    upper = ((upper & 0x7fff) << 5) | (lower >>> 15);
    lower = ((lower & 0x7fff) << 5) ^ word;
    for (const [bit, [high, low]] of GENERATOR.entries()) {
      if (((top >>> bit) & 1) === 0) continue;
      upper ^= high;
      lower ^= low;
    }
  }
  return [upper, lower ^ 1];
}
