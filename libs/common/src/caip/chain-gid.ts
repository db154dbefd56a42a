// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { CHAIN_GID_PATTERN } from './patterns.ts';

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
  if (typeof text !== 'string' || !CHAIN_GID_PATTERN.test(text))
    throw new InvalidCaipError(CHAIN_GID_EXPECTED, text);
  return text as ChainGid;
}

/** @throws InvalidCaipError when `text` is not a CAIP-2 chain id */
export function splitChainGid(text: string): ChainGidParts {
  const gid = parseChainGid(text);
  const colon = gid.indexOf(':');
  return { namespace: gid.slice(0, colon), reference: gid.slice(colon + 1) };
}
