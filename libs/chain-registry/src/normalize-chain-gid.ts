// SPDX-License-Identifier: Apache-2.0
import { listFamilies } from './families.ts';

/**
 * One spelling for each chain id, as its family has it: TRON's decimal and named references become the hexadecimal one,
 * `eip155` loses leading zeros. Anything else comes back as it is; whether the chain is known is for `findNetwork` to say.
 */
export function normalizeChainGid(input: string): string {
  const gid = input.trim();
  const separator = gid.indexOf(':');
  if (separator < 0) return gid;
  const namespace = gid.slice(0, separator).toLowerCase();
  const reference = gid.slice(separator + 1);
  const family = listFamilies().find((each) => each.namespace === namespace);
  return `${namespace}:${family?.normalizeReference?.(reference) ?? reference}`;
}
