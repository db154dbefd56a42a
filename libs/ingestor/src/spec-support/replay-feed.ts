// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { FeedEntry } from '../feed.ts';

export interface Replayed {
  /** The chain that the feed adds up to, ascending. */
  readonly chain: readonly BlockRef[];
  readonly finalized: BlockRef | undefined;
  readonly violations: number;
}

/** Adds up the feed as its readers do. Throws on the first entry that breaks the feed's rules. */
export function replayFeed(entries: readonly FeedEntry[]): Replayed {
  const chain: BlockRef[] = [];
  let finalized: BlockRef | undefined;
  let violations = 0;
  entries.forEach((entry, position) => {
    if (entry.seq !== position + 1) throw new Error(`expected seq ${position + 1}, got ${entry.seq}`);
    const top = chain.at(-1);
    switch (entry.type) {
      case 'block':
        if (top !== undefined && entry.parentHash !== top.hash)
          throw new Error(
            `block ${entry.number} (seq ${entry.seq}) stands on ${entry.parentHash}, not on ${top.hash}`,
          );
        chain.push({ number: entry.number, hash: entry.hash });
        return;
      case 'reorg':
        if (top?.hash !== entry.hash)
          throw new Error(
            `reorg ${entry.number} (seq ${entry.seq}) does not undo the newest block ${top?.number}`,
          );
        chain.pop();
        if (finalized === undefined || entry.number > finalized.number) return;
        if (entry.resumeSeq === undefined || entry.resumeSeq < entry.seq)
          throw new Error(`reorg ${entry.number} below finality does not say when to resume`);
        if (entry.hash === finalized.hash) violations += 1;
        finalized = chain.at(-1);
        return;
      case 'finalize':
        if (finalized !== undefined && entry.number <= finalized.number)
          throw new Error(`finality went back from ${finalized.number} to ${entry.number}`);
        if (!chain.some(({ number, hash }) => number === entry.number && hash === entry.hash))
          throw new Error(`finalize ${entry.number} (seq ${entry.seq}) is not on the chain`);
        finalized = { number: entry.number, hash: entry.hash };
    }
  });
  return { chain, finalized, violations };
}
