import { keccak_256 } from '@noble/hashes/sha3.js';
import { InvalidAddressError, encodeBase58Check, parseBase58Check } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';

const VERSION = 0x41;
const BASE58_LENGTH = 34;

/**
 * Parses a TRON address: Base58Check (`T…`, canonical), hexadecimal as nodes write it (`41` and 40 digits), or as its
 * Ethereum-compatible API does (`0x` and 40 digits, in mixed case with EIP-55's checksum).
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  const canonical = isHexadecimal(input)
    ? encodeBase58Check(Uint8Array.of(VERSION, ...readHex(input)))
    : checkBase58(input);
  return { canonical, display: canonical, format: 'tron' };
}

/** Whether the text is meant as hexadecimal, right or wrong. */
function isHexadecimal(input: string): boolean {
  if (/^0x/i.test(input)) return true;
  return input.length > BASE58_LENGTH && /^(?:41|[0-9a-f]*$)/i.test(input);
}

function readHex(input: string): Uint8Array {
  const prefix = /^0x/i.test(input) ? '0x' : '41';
  const wrong = /[^0-9a-f]/iu.exec(input.slice(2));
  if (wrong) {
    throw new InvalidAddressError(
      `address has an illegal character: expected ${prefix} and 40 hexadecimal digits, got ${JSON.stringify(wrong[0])} as character ${wrong.index + 3}`,
    );
  }
  if (input.length !== 42) {
    const digits = input.length - 2;
    throw new InvalidAddressError(
      `address has a wrong length: expected ${prefix} and 40 hexadecimal digits, got ${digits} after the first two characters`,
    );
  }
  if (prefix === '0x') checkCase(input.slice(2));
  else if (!input.startsWith('41')) throw otherNetwork(input.slice(0, 2).toLowerCase());
  return Buffer.from(input.slice(2), 'hex');
}

/** EIP-55: a digit is upper case where the hash of the address in lower case has 8 or more. */
function checkCase(digits: string): void {
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return;
  const hash = Buffer.from(keccak_256(Buffer.from(digits.toLowerCase(), 'latin1'))).toString('hex');
  const expected = [...digits.toLowerCase()]
    .map((digit, at) => (parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
  if (expected !== digits)
    throw new InvalidAddressError(
      `address checksum (EIP-55) is wrong: expected 0x${expected}, got 0x${digits}`,
    );
}

function checkBase58(input: string): string {
  const version = parseBase58Check(input, { bytes: 21, characters: [BASE58_LENGTH, BASE58_LENGTH] })[0] ?? 0;
  if (version !== VERSION) throw otherNetwork(version.toString(16).padStart(2, '0'));
  return input;
}

function otherNetwork(version: string): InvalidAddressError {
  return new InvalidAddressError(
    `address is of another network: expected the version byte 0x41 (TRON), got 0x${version}`,
  );
}
