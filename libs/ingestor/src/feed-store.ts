import type { BlockHeader } from '@chainwatch/chain-core';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState } from './feed.ts';

/**
 * What the follower keeps of one chain, owned through one fencing token.
 * Every write rejects with FencedError when the token is stale; any other rejection leaves the outcome unknown, and the
 * follower loads again.
 */
export interface FeedStore {
  load(): Promise<FollowState>;
  /** Atomic. */
  commit(batch: FeedBatch): Promise<void>;
  /** Records numbers whose headers are not fetched yet; known numbers stay as they are. */
  announce(from: number, to: number): Promise<void>;
  setStatus(status: ChainStatus, reason: string | undefined): Promise<void>;
  /** Our canonical block at the height, or the next one below it where the height has none (skipped slots). */
  findCanonicalAtOrBelow(number: number): Promise<BlockHeader | undefined>;
  /** Canonical blocks of [from, to], ascending; heights without a fetched block are left out. */
  readCanonical(from: number, to: number): Promise<BlockHeader[]>;
  /** Feed entries behind `seq`, ascending. */
  readEntries(afterSeq: number, limit: number): Promise<FeedEntry[]>;
  /** Deletes entries that the analyzer is long past. Returns how many. */
  prune(): Promise<number>;
}

