// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';
import { getAddress } from 'viem/utils';

const SHAPE = /^0[xX][0-9a-fA-F]{40}$/;

/**
 * Parses an EVM address. All lower and all upper case carry no checksum and pass; mixed case must be EIP-55.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  if (!SHAPE.test(input)) throw new InvalidAddressError(describeShape(input));
  const digits = input.slice(2);
  const canonical = `0x${digits.toLowerCase()}`;
  const display = getAddress(canonical);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && display.slice(2) !== digits) {
    throw new InvalidAddressError(`address checksum (EIP-55) is wrong: expected ${display}, got ${input}`);
  }
  return { canonical, display, format: 'evm' };
}

function describeShape(input: string): string {
  const expected = 'expected 0x and 40 hexadecimal digits';
  if (!/^0[xX]/.test(input)) return `address is not an EVM address: ${expected}, got no 0x prefix`;
  const wrong = /[^0-9a-f]/iu.exec(input.slice(2));
  if (wrong)
    return `address is not an EVM address: ${expected}, got ${JSON.stringify(wrong[0])} as character ${wrong.index + 3}`;
  return `address is not an EVM address: ${expected}, got ${input.length - 2} digits`;
}
