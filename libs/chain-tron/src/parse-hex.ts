import { IncompleteBlockError } from '@chainwatch/chain-core';

const CANONICAL = /^(?:[0-9a-f]{2})*$/;

/**
 * Bytes from hexadecimal digits as java-tron writes them: lower case, two for each byte, no prefix. Anything
 * else is refused, or a value could be proved in one spelling and compared in another.
 * @throws IncompleteBlockError
 */
export function parseHex(what: string, hex: unknown): Buffer {
  if (typeof hex !== 'string' || !CANONICAL.test(hex))
    throw new IncompleteBlockError(
      `${what}: expected lower-case hexadecimal digits, got ${JSON.stringify(hex)?.slice(0, 60) ?? 'none'}`,
    );
  return Buffer.from(hex, 'hex');
}
