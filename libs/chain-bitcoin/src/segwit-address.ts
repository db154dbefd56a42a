import { bech32, bech32m } from '@scure/base';
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

/** Version 0 carries a Bech32 checksum, every later one Bech32m (BIP-350). */
export function codecOf(version: number): typeof bech32 {
  return version === 0 ? bech32 : bech32m;
}

/**
 * Reads a segwit address whose human-readable part is known to be `prefix`.
 * @param input in one case, all lower or all upper
 * @throws InvalidAddressError that says which rule is broken
 */
export function parseSegwitAddress(input: string, prefix: string): WitnessProgram {
  checkText(input, prefix);
  const asBech32 = bech32.decodeUnsafe(input);
  const words = (asBech32 ?? bech32m.decodeUnsafe(input))?.words;
  if (words === undefined) {
    throw new InvalidAddressError(
      'address checksum is wrong: expected the one of Bech32 (BIP-173) or Bech32m (BIP-350), got one that fits neither',
    );
  }
  const [version, ...digits] = words;
  if (version === undefined)
    throw new InvalidAddressError(
      'address is empty: expected a witness version and a program, got a checksum alone',
    );
  if (version > 16)
    throw new InvalidAddressError(`address has a wrong witness version: expected 0 to 16, got ${version}`);
  const program = toProgram(version, digits);
  if ((asBech32 !== undefined) !== (version === 0)) {
    const [expected, got] = asBech32 ? ['Bech32m', 'Bech32'] : ['Bech32', 'Bech32m'];
    throw new InvalidAddressError(
      `address checksum is wrong: expected ${expected} for witness version ${version}, got ${got}`,
    );
  }
  return { version, program };
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

function toProgram(version: number, digits: number[]): Uint8Array {
  const rest = (digits.length * 5) % 8;
  if (rest > 4)
    throw new InvalidAddressError(
      `address has wrong padding: expected at most 4 bits after the last byte, got ${rest}`,
    );
  const program = bech32.fromWordsUnsafe(digits);
  if (!program)
    throw new InvalidAddressError(
      'address has wrong padding: expected zero bits after the last byte, got others',
    );
  const { length } = program;
  if (length < 2 || length > 40)
    throw new InvalidAddressError(
      `witness program has a wrong length: expected 2 to 40 bytes, got ${length}`,
    );
  if (version === 0 && length !== 20 && length !== 32) {
    throw new InvalidAddressError(
      `witness program has a wrong length: expected 20 or 32 bytes for witness version 0, got ${length}`,
    );
  }
  return program;
}
