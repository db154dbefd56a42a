// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';

/** Bytes of a node's hex answer. @throws ChainClientError when it is something else */
export function parseHex(what: string, hex: unknown): Buffer {
  if (typeof hex !== 'string')
    throw new ChainClientError(`${what}: expected hex, got ${hex === null ? 'null' : typeof hex}`);
  const bytes = Buffer.from(hex, 'hex');
  // Node stops silently at the first character that is no digit.
  if (bytes.length * 2 !== hex.length)
    throw new ChainClientError(
      `${what}: expected ${hex.length} hexadecimal digits, got ${bytes.length * 2} before another character`,
    );
  return bytes;
}
