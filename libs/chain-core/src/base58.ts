import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { InvalidAddressError } from './errors.ts';

/** What an address of a family looks like in Base58. */
export interface Base58Shape {
  /** Decoded, without the checksum. */
  readonly bytes: number;
  /** Least and greatest count of characters. */
  readonly characters: readonly [min: number, max: number];
}

const CHECKSUM_BYTES = 4;
const base58check = createBase58check(sha256);

export function encodeBase58Check(payload: Uint8Array): string {
  return base58check.encode(payload);
}

/**
 * The bytes of an address in Base58 without a checksum.
 * @throws InvalidAddressError for an illegal character or a wrong length; the message never holds the input
 */
export function parseBase58(input: string, shape: Base58Shape): Uint8Array {
  return decode(input, shape, 'Base58');
}

/**
 * The payload (version byte first) of an address in Base58Check.
 * @throws InvalidAddressError for an illegal character, a wrong length or a wrong checksum; the message never holds the input
 */
export function parseBase58Check(input: string, { bytes, characters }: Base58Shape): Uint8Array {
  const decoded = decode(input, { bytes: bytes + CHECKSUM_BYTES, characters }, 'Base58Check');
  const payload = decoded.subarray(0, bytes);
  const expected = toHex(sha256(sha256(payload)).subarray(0, CHECKSUM_BYTES));
  const got = toHex(decoded.subarray(bytes));
  if (expected !== got)
    throw new InvalidAddressError(
      `address checksum (Base58Check) is wrong: expected ${expected}, got ${got}`,
    );
  return payload;
}

function decode(input: string, { bytes, characters: [min, max] }: Base58Shape, encoding: string): Uint8Array {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(input);
  if (wrong) {
    const expected = `expected letters and digits other than 0, O, I and l (${encoding})`;
    throw new InvalidAddressError(
      `address has an illegal character: ${expected}, got ${JSON.stringify(wrong[0])} as character ${wrong.index + 1}`,
    );
  }
  const expected = `expected ${bytes} bytes in ${min === max ? min : `${min} to ${max}`} characters (${encoding})`;
  // Decoding is quadratic, so a text that is far too long is not decoded.
  if (input.length > 2 * max)
    throw new InvalidAddressError(`address has a wrong length: ${expected}, got ${input.length} characters`);
  const decoded = base58.decode(input);
  if (decoded.length !== bytes) {
    throw new InvalidAddressError(
      `address has a wrong length: ${expected}, got ${decoded.length} bytes in ${input.length} characters`,
    );
  }
  return decoded;
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
