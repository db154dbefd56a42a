// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';

/**
 * Members in which a network that was used differs from what it was (decisions.md 19): whoever follows it has stored rows
 * under these.
 */
export function findFixedDifferences(before: Network, after: Network): readonly string[] {
  const fixed = ({ gid, family, native, tokenNamespace }: Network): Readonly<Record<string, unknown>> => ({
    gid,
    family,
    'native.gid': native?.gid,
    'native.symbol': native?.symbol,
    'native.decimals': native?.decimals,
    token_namespace: tokenNamespace,
  });
  const was = fixed(before);
  return Object.entries(fixed(after))
    .filter(([member, value]) => value !== was[member])
    .map(([member]) => member);
}
