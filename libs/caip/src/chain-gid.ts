import type { z } from 'zod';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { CHAIN_GID_PATTERN, CHAIN_REFERENCE_PATTERN, NAMESPACE_PATTERN } from './patterns.ts';

/** A checked CAIP-2 chain id, `eip155:1`. Case-sensitive. */
export type ChainGid = string & z.core.$brand<'ChainGid'>;

export interface ChainGidParts {
  /** `eip155` */
  readonly namespace: string;
  /** `1` */
  readonly reference: string;
}

export const CHAIN_GID_EXPECTED = 'a CAIP-2 chain id such as "eip155:1"';

/** @throws InvalidCaipError */
export function parseChainGid(text: string): ChainGid {
  if (!isChainGid(text)) throw new InvalidCaipError(CHAIN_GID_EXPECTED, text);
  return text;
}

export function isChainGid(value: unknown): value is ChainGid {
  return typeof value === 'string' && CHAIN_GID_PATTERN.test(value);
}

/** @throws InvalidCaipError when `text` is not a CAIP-2 chain id */
export function splitChainGid(text: string): ChainGidParts {
  const gid = parseChainGid(text);
  const colon = gid.indexOf(':');
  return { namespace: gid.slice(0, colon), reference: gid.slice(colon + 1) };
}

/** @throws InvalidCaipError naming the part that does not fit */
export function formatChainGid({ namespace, reference }: ChainGidParts): ChainGid {
  if (!NAMESPACE_PATTERN.test(namespace)) {
    throw new InvalidCaipError('a chain namespace of 3 to 8 lower-case letters and digits', namespace);
  }
  if (!CHAIN_REFERENCE_PATTERN.test(reference)) {
    throw new InvalidCaipError('a chain reference of 1 to 32 letters, digits, "-" and "_"', reference);
  }
  return parseChainGid(`${namespace}:${reference}`);
}
