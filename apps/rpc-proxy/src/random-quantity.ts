import { randomBytes } from 'node:crypto';

/**
 * 127 random bits as an Ethereum quantity: hexadecimal without leading zeros, so that it comes back as it went out from
 * clients that keep it as a number of 256 bits.
 */
export function randomQuantity(): string {
  const bytes = randomBytes(16);
  bytes[0]! |= 0x80;
  return `0x${bytes.toString('hex')}`;
}
