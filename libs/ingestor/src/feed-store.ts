// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';
import type { ChainReset, ChainStatus, FeedBatch, FeedEntry, FollowState } from './feed.ts';

/**
 * The stored feed of one chain, for its owner. Every write rejects with ShareLostError when another replica owns
 * the chain. Any other rejection leaves the outcome unknown, and the follower loads the state again.
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
  /** The reset that the operator asked for, while it is not done. */
  findReset(): Promise<ChainReset | undefined>;
  /** The sequence of the reset's last feed entry, the same at each call; undefined when the reset is done. */
  beginReset(reset: ChainReset): Promise<number | undefined>;
  /** Marks the reset as done. A chain with nothing left begins at the reset's block, or where it began before. */
  finishReset(reset: ChainReset): Promise<void>;
  /** Deletes entries that the analyzer is long past. Returns how many. */
  prune(): Promise<number>;
}

/** Publishes feed entries. Never rejects: the feed in the database is the truth. */
export interface BlockPublisher {
  publish(entries: readonly FeedEntry[]): void;
}
