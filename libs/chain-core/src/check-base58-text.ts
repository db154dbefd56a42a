// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError } from './errors.ts';

/**
 * Names the fault of a Base58 address before a library reads it. Libraries name no character and no length,
 * repeat input that may be a private key, and take time that grows with the square of the length.
 * @param characters least and greatest count
 * @throws InvalidAddressError, whose message never holds the input
 */
export function checkBase58Text(
  input: string,
  [min, max]: readonly [min: number, max: number],
  encoding: 'Base58' | 'Base58Check',
): void {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(input);
  if (wrong) {
    throw new InvalidAddressError(
      `address has an illegal character: expected letters and digits other than 0, O, I and l (${encoding}), got ${JSON.stringify(wrong[0])} as character ${wrong.index + 1}`,
    );
  }
  if (input.length < min || input.length > max) {
    const expected = min === max ? String(min) : `${min} to ${max}`;
    throw new InvalidAddressError(
      `address has a wrong length: expected ${expected} characters (${encoding}), got ${input.length}`,
    );
  }
}
