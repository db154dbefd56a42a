// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';
import type { ChainReset, ChainStatus, FeedBatch, FeedEntry, FollowState } from '../feed.ts';
import type { FeedStore } from '../feed-store.ts';

/** The store's contract in memory. */
export class MemoryFeedStore implements FeedStore {
  readonly entries: FeedEntry[] = [];
  readonly announced = new Set<number>();
  readonly canonical = new Map<number, BlockHeader>();
  readonly skipped = new Set<number>();
  readonly statuses: ChainStatus[] = [];
  state: FollowState = { feedSeq: 0 };

  async load(): Promise<FollowState> {
    return this.state;
  }

  async commit({
    entries,
    next,
    status,
    clearFrom,
    clearTo = Infinity,
    skipped = [],
  }: FeedBatch): Promise<void> {
    if (entries[0]!.seq !== this.state.feedSeq + 1 || entries.at(-1)!.seq !== next.feedSeq)
      throw new Error('a hole in the feed');
    for (const entry of entries) this.#apply(entry);
    for (const number of this.announced)
      if (number >= clearFrom && number <= clearTo) this.announced.delete(number);
    for (const number of this.skipped)
      if (number >= clearFrom && number <= clearTo) this.skipped.delete(number);
    for (const { from, to } of skipped) for (let number = from; number <= to; number += 1) this.#skip(number);
    this.state = next;
    if (status !== undefined) this.statuses.push(status);
  }

  async announce(from: number, to: number): Promise<void> {
    for (let number = from; number <= to; number += 1)
      if (!this.canonical.has(number) && !this.skipped.has(number)) this.announced.add(number);
  }

  async setStatus(status: ChainStatus): Promise<void> {
    this.statuses.push(status);
  }

  async findCanonicalAtOrBelow(number: number): Promise<BlockHeader | undefined> {
    for (let at = number; at >= (this.state.startNumber ?? 0); at -= 1) {
      const block = this.canonical.get(at);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  async readCanonical(from: number, to: number): Promise<BlockHeader[]> {
    const last = Math.min(to, this.state.head?.number ?? -1);
    const blocks: BlockHeader[] = [];
    for (let number = Math.max(from, this.state.startNumber ?? 0); number <= last; number += 1) {
      const block = this.canonical.get(number);
      if (block !== undefined) blocks.push(block);
    }
    return blocks;
  }

  async readEntries(afterSeq: number, limit: number): Promise<FeedEntry[]> {
    return this.entries.slice(afterSeq, afterSeq + limit);
  }

  reset: ChainReset | undefined;
  #resumeSeq: number | undefined;

  async findReset(): Promise<ChainReset | undefined> {
    return this.reset;
  }

  async beginReset({ fromBlock = 0 }: ChainReset): Promise<number | undefined> {
    if (this.reset === undefined) return undefined;
    this.#resumeSeq ??=
      this.state.feedSeq + [...this.canonical.keys()].filter((number) => number >= fromBlock).length;
    return this.#resumeSeq;
  }

  async finishReset({ fromBlock }: ChainReset): Promise<void> {
    this.reset = undefined;
    this.#resumeSeq = undefined;
    const starts = [this.state.startNumber, fromBlock].filter((number) => number !== undefined);
    if (this.state.head === undefined && starts.length > 0)
      this.state = { ...this.state, startNumber: Math.min(...starts) };
  }

  async prune(): Promise<number> {
    return 0;
  }

  #skip(number: number): void {
    if (this.canonical.has(number) || this.skipped.has(number))
      throw new Error(`${number} was skipped and is known`);
    this.skipped.add(number);
  }

  #apply(entry: FeedEntry): void {
    const { number, hash, parentHash, timestamp } = entry;
    this.entries.push(entry);
    if (entry.type === 'block') {
      if (this.canonical.has(number)) throw new Error(`two canonical blocks at ${number}`);
      this.canonical.set(number, { number, hash, parentHash, timestamp });
    } else if (entry.type === 'reorg') {
      if (this.canonical.get(number)?.hash !== hash)
        throw new Error(`an orphan at ${number} that was not canonical`);
      this.canonical.delete(number);
    }
  }
}
