import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';

/** The longest run of linked `heads` that extends `head`. */
export function pickLinked(head: BlockRef, heads: readonly BlockHeader[]): BlockHeader[] {
  const linked: BlockHeader[] = [];
  for (const header of heads) {
    const before = linked.at(-1) ?? head;
    if (header.parentHash !== before.hash || header.number <= before.number) break;
    linked.push(header);
  }
  return linked;
}
