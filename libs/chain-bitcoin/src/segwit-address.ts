// SPDX-License-Identifier: Apache-2.0
import { address } from 'bitcoinjs-lib';
import { InvalidAddressError } from '@chainwatch/chain-core';

/** What a segwit address says (BIP-141, BIP-173, BIP-350). */
export interface WitnessProgram {
  /** 0 … 16. */
  readonly version: number;
  /** 2 … 40 bytes. */
  readonly program: Uint8Array;
}

const LENGTH_MAX = 90;
const CHECKSUM_LENGTH = 6;

/**
 * Reads a segwit address whose human-readable part is known to be `prefix`, by bitcoinjs-lib. The library
 * does not bound version and program, so that its address parser alone would accept invalid ones.
 * @param input in one case, all lower or all upper
 * @throws InvalidAddressError that says which rule is broken
 */
export function parseSegwitAddress(input: string, prefix: string): WitnessProgram {
  checkText(input, prefix);
  const { version, data } = decode(input, prefix);
  const fault = findProgramFault(version, data.length);
  if (fault !== undefined) throw new InvalidAddressError(fault);
  return { version, program: data };
}

/** Rules that the library does not check. */
function findProgramFault(version: number, length: number): string | undefined {
  if (version > 16) return `address has a wrong witness version: expected 0 to 16, got ${version}`;
  if (length < 2 || length > 40)
    return `witness program has a wrong length: expected 2 to 40 bytes, got ${length}`;
  if (version === 0 && length !== 20 && length !== 32)
    return `witness program has a wrong length: expected 20 or 32 bytes for witness version 0, got ${length}`;
  return undefined;
}

function checkText(input: string, prefix: string): void {
  if (input !== input.toLowerCase() && input !== input.toUpperCase()) {
    throw new InvalidAddressError('address is in mixed case: expected all lower or all upper case, got both');
  }
  if (input.length > LENGTH_MAX) {
    throw new InvalidAddressError(
      `address has a wrong length: expected at most ${LENGTH_MAX} characters, got ${input.length}`,
    );
  }
  const start = prefix.length + 1;
  const wrong = /[^qpzry9x8gf2tvdw0s3jn54khce6mua7l]/iu.exec(input.slice(start));
  if (wrong) {
    const expected = 'expected letters and digits other than 1, b, i and o';
    throw new InvalidAddressError(
      `address has an illegal character: ${expected} after ${prefix}1, got ${JSON.stringify(wrong[0])} as character ${start + wrong.index + 1}`,
    );
  }
  if (input.length < start + CHECKSUM_LENGTH) {
    throw new InvalidAddressError(
      `address has a wrong length: expected at least ${start + CHECKSUM_LENGTH} characters, got ${input.length}`,
    );
  }
}

function decode(input: string, prefix: string): { readonly version: number; readonly data: Uint8Array } {
  try {
    return address.fromBech32(input);
  } catch (error) {
    // The library's message holds the input, so only the kind of fault is passed on.
    throw new InvalidAddressError(nameFault(input, prefix, String(error)));
  }
}

/** The first rule that is broken: checksum, version, padding, length, and which of the two checksums it must have. */
function nameFault(input: string, prefix: string, message: string): string {
  const isPadding = message.includes('padding');
  if (!isPadding && !message.includes('wrong encoding'))
    return 'address checksum is wrong: expected the one of Bech32 (BIP-173) or Bech32m (BIP-350), got one that fits neither';
  const start = prefix.length + 1;
  const digits = input.length - start - 1 - CHECKSUM_LENGTH;
  if (digits < 0) return 'address is empty: expected a witness version and a program, got a checksum alone';
  const version = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.indexOf(input.charAt(start).toLowerCase());
  const rest = (digits * 5) % 8;
  if (version <= 16 && rest > 4)
    return `address has wrong padding: expected at most 4 bits after the last byte, got ${rest}`;
  if (isPadding) return 'address has wrong padding: expected zero bits after the last byte, got others';
  const [expected, got] = version === 0 ? ['Bech32', 'Bech32m'] : ['Bech32m', 'Bech32'];
  return (
    findProgramFault(version, Math.floor((digits * 5) / 8)) ??
    `address checksum is wrong: expected ${expected} for witness version ${version}, got ${got}`
  );
}
