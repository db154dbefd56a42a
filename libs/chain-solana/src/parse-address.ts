// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { PublicKey } from '@solana/web3.js';
import { checkBase58Text, InvalidAddressError } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';

/**
 * Parses a Solana address: 32 bytes in Base58, which has no checksum and one spelling. Whether it lies on the curve is
 * not asked: program derived addresses own coins too.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  checkBase58Text(input, [32, 44], 'Base58');
  try {
    new PublicKey(input);
  } catch {
    throw new InvalidAddressError(
      `address has a wrong length: expected 32 bytes in 32 to 44 characters (Base58), got ${base58.decode(input).length} bytes`,
    );
  }
  return { canonical: input, display: input, format: 'solana' };
}
