// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';

/** What a block says, whether it was decoded at once or decodes what it is asked for. */
export function contentOf({
  number,
  hash,
  parentHash,
  parentNumber,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
  mentions,
  unknowns,
}: Block): Block {
  return {
    number,
    hash,
    parentHash,
    parentNumber,
    timestamp,
    transactions,
    balanceChanges,
    touchedAssets,
    mentions,
    unknowns,
  };
}

/** The same text for the same content, in whatever order its members were put. */
export function write(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`;
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
