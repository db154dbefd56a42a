// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/**
 * `41` and 40 digits of an address in any spelling that java-tron's API takes: Base58Check (`visible: true`), `41…`,
 * `0x…` or 40 digits, letters in either case.
 * @throws Error for anything else, absent values included
 */
export function readAccount(address: unknown): string {
  const text = typeof address === 'string' ? address : '';
  const digits = /^(?:0x|41|0x41)?([0-9a-f]{40})$/i.exec(text)?.[1];
  const hex = digits === undefined ? decodeBase58(text) : `41${digits.toLowerCase()}`;
  if (hex === undefined || !/^41[0-9a-f]{40}$/.test(hex))
    throw new Error(`INVALID address: ${JSON.stringify(address)?.slice(0, 60) ?? 'none'}`);
  return hex;
}

function decodeBase58(text: string): string | undefined {
  try {
    return Buffer.from(base58check.decode(text)).toString('hex');
  } catch {
    return undefined;
  }
}
