// SPDX-License-Identifier: Apache-2.0
import { blocksIn, BlockTime, type Block, type Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { PayloadOf } from '@chainwatch/events';
import type { AnalyzerOptions } from '../model/analyzer-deps.ts';
import type { ChainCursor } from '../model/chain-cursor.ts';
import type { FeedEntry } from '../model/feed-entry.ts';
import type { Segment } from '../model/segment.ts';
import { BodyPrefetcher, type ReadBody } from './body-prefetcher.ts';
import { FeedQueue } from './feed-queue.ts';
import { groupBlocks, nextSegment } from './next-segment.ts';

interface FeedDeps {
  readonly sql: Sql;
  readonly chainGid: string;
  readonly network: Pick<Network, 'blockTimeMs' | 'isLocal'>;
  readonly options: Pick<
    Required<AnalyzerOptions>,
    'prefetchWindow' | 'groupBlocksMax' | 'groupTransactionsMax' | 'sweepMs'
  >;
  readonly readBody: ReadBody;
  /** There may be something to do. */
  readonly onChange: () => void;
}

const BACKLOG_ENTRIES = 8;
/** With more after the cursor, by entries and by time, the chain is catching up. */
const FOLLOWING_ENTRIES_MAX = 6;
const FOLLOWING_MS_MAX = 5_000;
const MATCHES_PER_BLOCK_FIRST = 50;
const RING_BLOCKS_MAX = 256;
const RING_TRANSACTIONS_MAX = 30_000;
/** Memory for what the transactions of the ring keep as the node sent it. */
const RING_BYTES_MAX = 32 * 1024 * 1024;
/** Of an account that a log names. */
const MENTION_BYTES = 100;

/** The feed of one chain on both sides of the cursor: entries and bodies to come, and the blocks passed last. */
export class ChainFeed {
  readonly ring = new BlockRing();
  readonly #deps: FeedDeps;
  /** Measured from the blocks that pass. */
  readonly #blockTime: BlockTime;
  readonly #queue: FeedQueue;
  readonly #bodies: BodyPrefetcher;
  #cursor: ChainCursor = { seq: 0 };
  #headNumber = 0;
  #loadedAtMs = 0;
  /** A moving average. */
  #matchesPerBlock = MATCHES_PER_BLOCK_FIRST;

  constructor(deps: FeedDeps) {
    const { sql, chainGid, network, options, readBody, onChange } = deps;
    this.#deps = deps;
    this.#blockTime = new BlockTime(network);
    this.#queue = new FeedQueue(sql, chainGid);
    this.#bodies = new BodyPrefetcher(readBody, options.prefetchWindow, onChange);
  }

  /** The last entry that is committed. */
  get cursor(): ChainCursor {
    return this.#cursor;
  }

  get first(): FeedEntry | undefined {
    return this.#queue.entries[0];
  }

  get isBehind(): boolean {
    return this.#lagEntries(this.#cursor) > BACKLOG_ENTRIES;
  }

  get lagBlocks(): number {
    return Math.max(0, this.#headNumber - (this.#cursor.number ?? this.#headNumber));
  }

  /** Whether the chain is catching up once it stands at `cursor`. */
  isFarBehind(cursor: ChainCursor): boolean {
    return this.#lagEntries(cursor) > blocksIn(FOLLOWING_MS_MAX, this.#blockTime, FOLLOWING_ENTRIES_MAX);
  }

  #lagEntries(cursor: ChainCursor): number {
    return this.#queue.lastSeq - cursor.seq;
  }

  /** Takes an entry from a message, without a query. */
  push(payload: PayloadOf<'block.new'>, traceparent?: string): void {
    this.#headNumber = Math.max(this.#headNumber, payload.number);
    this.#queue.push(payload, traceparent);
    this.#bodies.prefetch(this.#queue.entries);
  }

  /** There may be entries whose message did not arrive. */
  expectEntries(): void {
    this.#loadedAtMs = 0;
  }

  /** Reads entries from the table when it is due, and starts reading their bodies. @throws FeedGapError */
  async load(nowMs: number): Promise<void> {
    const isDue = this.#queue.needsLoad || nowMs - this.#loadedAtMs >= this.#deps.options.sweepMs;
    if (isDue) {
      this.#loadedAtMs = nowMs;
      await this.#queue.load();
    }
    this.#headNumber = Math.max(this.#headNumber, this.#queue.entries.at(-1)?.number ?? 0);
    this.#bodies.prefetch(this.#queue.entries);
  }

  /** What can be done now; undefined when the next body is not there yet. @throws FeedMismatchError */
  nextSegment(): Segment | undefined {
    const { groupBlocksMax, groupTransactionsMax: transactionsMax } = this.#deps.options;
    return nextSegment({
      queue: this.#queue.entries,
      bodies: this.#bodies,
      cursor: this.#cursor,
      limits: { blocksMax: groupBlocks(this.#matchesPerBlock, groupBlocksMax), transactionsMax },
    });
  }

  /** Why the body of an entry has not arrived yet. */
  troubleOf(entry: FeedEntry): string | undefined {
    return this.#bodies.find(entry.seq)?.trouble;
  }

  /** The segment is committed. */
  finish(segment: Segment, cursor: ChainCursor, matchCount: number): void {
    const blocks = segment.blocks.flatMap(({ block }) => block ?? []);
    if (blocks.length > 0) this.#matchesPerBlock = (this.#matchesPerBlock + matchCount / blocks.length) / 2;
    for (const orphan of segment.orphans) this.ring.popOrphan(orphan.hash);
    for (const block of blocks) {
      this.ring.push(block);
      this.#blockTime.noteHeader(block);
    }
    this.#cursor = cursor;
    this.#queue.drop(segment.entries.length);
    // After a reset the chain may be lower than it was.
    if (segment.orphans.length > 0) this.#headNumber = 0;
    this.#bodies.dropThrough(cursor.seq);
    this.#bodies.prefetch(this.#queue.entries);
  }

  /** Continues after the stored cursor; keeps the entries in memory that fit. */
  resume(cursor: ChainCursor): void {
    this.#cursor = cursor;
    if (this.ring.tip?.hash !== cursor.hash) this.ring.clear();
    if (this.first?.seq !== cursor.seq + 1) {
      this.#bodies.reset();
      this.#queue.reset(cursor.seq);
    }
    this.#loadedAtMs = 0;
  }

  /** Forgets everything but the cursor. */
  reset(): void {
    this.ring.clear();
    this.#queue.reset(this.#cursor.seq);
    this.#bodies.reset();
  }

  /** Ends every read under way. */
  close(): void {
    this.#bodies.reset();
  }
}

/** The last decoded blocks up to the cursor, for addresses that were registered while they passed. */
export class BlockRing {
  #blocks: Block[] = [];
  #transactionCount = 0;
  #byteLength = 0;

  get tip(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Height of the oldest block that is here. */
  get firstNumber(): number | undefined {
    return this.#blocks[0]?.number;
  }

  push(block: Block): void {
    this.#blocks.push(block);
    this.#weigh(block, 1);
    let excess = 0;
    while (
      this.#blocks.length - excess > RING_BLOCKS_MAX ||
      (this.#isHeavy && this.#blocks.length - excess > 1)
    ) {
      this.#weigh(this.#blocks[excess]!, -1);
      excess += 1;
    }
    if (excess > 0) this.#blocks.splice(0, excess);
  }

  /** Removes the tip when it is the orphan. An orphan whose body was never in the ring has nothing to remove. */
  popOrphan(hash: string): void {
    if (this.tip?.hash !== hash) return;
    this.#weigh(this.#blocks.pop()!, -1);
  }

  /** Blocks from a height on, ascending. */
  from(number: number): readonly Block[] {
    return this.#blocks.filter((block) => block.number >= number);
  }

  /** Which of `hashes` are transactions of these blocks. */
  findTransactions(hashes: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    for (const block of this.#blocks)
      for (const { hash } of block.transactions) if (hashes.has(hash)) found.add(hash);
    return found;
  }

  clear(): void {
    this.#blocks = [];
    this.#transactionCount = 0;
    this.#byteLength = 0;
  }

  get #isHeavy(): boolean {
    return this.#transactionCount > RING_TRANSACTIONS_MAX || this.#byteLength > RING_BYTES_MAX;
  }

  #weigh(block: Block, sign: 1 | -1): void {
    this.#transactionCount += sign * block.transactions.length;
    const mentioned = block.mentions?.reduce((sum, { addresses }) => sum + addresses.length, 0) ?? 0;
    this.#byteLength += sign * ((block.byteLength ?? 0) + mentioned * MENTION_BYTES);
  }
}
