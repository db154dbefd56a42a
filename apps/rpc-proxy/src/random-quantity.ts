// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';

/**
 * 127 random bits as an Ethereum quantity: hexadecimal without leading zeros, so that clients that keep it as a 256-bit
 * number send it back unchanged.
 */
export function randomQuantity(): string {
  const bytes = randomBytes(16);
  bytes[0]! |= 0x80;
  return `0x${bytes.toString('hex')}`;
}
