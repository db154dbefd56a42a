import { parseBase58 } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';

/**
 * Parses a Solana address: 32 bytes in Base58, which has no checksum and one spelling. Whether it lies on the curve is
 * not asked: program derived addresses own coins too.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  parseBase58(input, { bytes: 32, characters: [32, 44] });
  return { canonical: input, display: input, format: 'solana' };
}
