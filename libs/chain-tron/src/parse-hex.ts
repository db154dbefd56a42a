// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';

const DIGITS = /^(?:[0-9a-f]{2})*$/i;

/**
 * Bytes from hexadecimal digits: two for each byte, no prefix. Java-tron writes them in lower case; a node or gateway that
 * echoes capitals writes the same bytes, and bytes are what is proved. Texts that are compared come from `lowerHex`.
 * @throws IncompleteBlockError
 */
export function parseHex(what: string, hex: unknown): Buffer {
  if (typeof hex !== 'string' || !DIGITS.test(hex))
    throw new IncompleteBlockError(
      `${what}: expected hexadecimal digits, got ${JSON.stringify(hex)?.slice(0, 60) ?? 'none'}`,
    );
  return Buffer.from(hex, 'hex');
}

/** A text of hexadecimal digits in lower case; anything else as it is, to be refused where it is read. */
export function lowerHex<T>(value: T): T {
  return typeof value === 'string' && /[A-F]/.test(value) && /^[0-9a-f]*$/i.test(value)
    ? (value.toLowerCase() as T)
    : value;
}
