// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import {
  blocksIn,
  type BlockHeader,
  type BlockRef,
  type BlockTime,
  type ChainClient,
} from '@chainwatch/chain-core';
import { BranchMovedError } from './errors.ts';
import type { ChainReset, ChainStatus, FeedBatch, FollowState } from './feed.ts';
import type { BlockPublisher, FeedStore } from './feed-store.ts';
import { findAncestor, readRanges } from './read-headers.ts';
import {
  pickLinked,
  planAdvance,
  planExtension,
  planFinalization,
  planRepair,
  planReset,
} from './plan-batches.ts';
import { RecentBlocks } from './recent-blocks.ts';

export interface FollowerOptions {
  readonly client: FollowClient;
  /** Absent: how far the chain is behind goes by heights alone. */
  readonly blockTime?: Pick<BlockTime, 'ms'>;
  readonly store: FeedStore;
  readonly publisher: BlockPublisher;
  readonly log: Logger;
  readonly onRepair?: (repair: { readonly depth: number; readonly isFinalityViolated: boolean }) => void;
  /** Wraps the commit of a batch, to add the trace context of its spans. */
  readonly trace?: (batch: FeedBatch, commit: (traced: FeedBatch) => Promise<void>) => Promise<void>;
  /** After each commit and its publication. */
  readonly onCommit?: (batch: FeedBatch) => void;
  readonly startBlock?: number;
  /** True when something else must come first: the current work then ends after its batch. */
  readonly isInterrupted?: () => boolean;
  readonly signal: AbortSignal;
  /** Most headers per request and blocks per transaction. */
  readonly chunkSize?: number;
  readonly concurrency?: number;
}

/** What the follower needs from a node. A client over several endpoints also counts how many of them have a block. */
export type FollowClient = Pick<
  ChainClient,
  'verifyChain' | 'readHead' | 'findHeaderByNumber' | 'findHeaderByHash' | 'readHeaders'
> & {
  /** How many endpoints have this block on their canonical chain. */
  countAgreeing?(ref: BlockRef, signal?: AbortSignal): Promise<number>;
};

/** `following`: our head is the node's. `waiting`: it is not, and we have reason to stay where we are. */
export type FollowOutcome =
  | { readonly type: 'following' }
  | { readonly type: 'waiting'; readonly reason: string };

/** What may be final now. Without a hash it comes from our own depth rule. */
export interface FinalRef {
  readonly number: number;
  readonly hash?: string;
}

const FOLLOWING: FollowOutcome = { type: 'following' };
/** How many numbers may be announced ahead of their headers. */
const ANNOUNCED_MAX = 2_000;
/** A large finality step is committed in parts, so that a new block waits for one part only. */
const FINAL_PARTS = 8;
const FINAL_BLOCKS_MIN = 8;
/** From this far behind, the chain is catching up: by time and by height. */
const BEHIND_MS_MIN = 60_000;
const BEHIND_BLOCKS_MIN = 50;

/**
 * Keeps the feed of one chain equal to the canonical chain of its node. One call at a time. After any rejection
 * call `load` first, because the outcome of the last commit is unknown.
 */
export class ChainFollower {
  readonly #options: FollowerOptions;
  readonly #recent = new RecentBlocks();
  readonly #chunkSize: number;
  #state: FollowState = { feedSeq: 0 };
  #announcedTo = -1;
  #finality: FinalRef | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#chunkSize = options.chunkSize ?? 256;
  }

  get state(): FollowState {
    return this.#state;
  }

  /** Reads the stored state. Publishes entries whose commit succeeded although the connection was lost. */
  async load(): Promise<FollowState> {
    const { store, publisher } = this.#options;
    const known = this.#state.feedSeq;
    this.#state = await store.load();
    this.#recent.dropAbove(-1);
    this.#announcedTo = -1;
    if (known > 0 && this.#state.feedSeq > known)
      publisher.publish(await store.readEntries(known, this.#state.feedSeq - known));
    return this.#state;
  }

  /**
   * Brings the feed to `head`, the head that a node has told.
   * @throws ChainError of the client, BranchMovedError, ShareLostError, errors of the database
   */
  async follow(head: BlockHeader): Promise<FollowOutcome> {
    for (;;) {
      if (this.#options.isInterrupted?.() === true) return waiting('the chain is about to be reset');
      const advance = planAdvance(this.#state, head, this.#options.startBlock);
      switch (advance.type) {
        case 'none':
          return this.#state.head === undefined
            ? waiting(`block ${head.number} is below the start block`)
            : FOLLOWING;
        case 'extend':
          await this.#commit(planExtension(this.#state, { headers: [head], status: 'following' }));
          return FOLLOWING;
        case 'start':
          await this.#start(advance.number);
          break;
        case 'fetch':
          await this.#catchUp(advance.from, advance.to);
          break;
        case 'repair':
          await this.#repair([head], 'following');
          return FOLLOWING;
        case 'compare':
          return this.#compare(head);
      }
    }
  }

  /**
   * Follows several heads (not empty, in the order reported). Those that extend our head are one commit. Then the
   * highest head is followed, with all blocks in between. If the last one is not our block by then, it is followed,
   * too.
   */
  async followAll(heads: readonly BlockHeader[]): Promise<FollowOutcome> {
    const linked = this.#state.head === undefined ? [] : pickLinked(this.#state.head, heads);
    if (linked.length > 1)
      await this.#commit(planExtension(this.#state, { headers: linked, status: 'following' }));
    const highest = heads.reduce((best, head) => (head.number >= best.number ? head : best));
    const last = heads.at(-1)!;
    const outcome = await this.follow(highest);
    return this.#recent.find(last.number) === last.hash ? outcome : this.follow(last);
  }

  /** Keeps the ref until `commitFinality`, which also runs between the chunks of a catch-up. */
  setFinality(ref: FinalRef): void {
    this.#finality = ref;
  }

  /** Whether finality has not been committed up to the latest ref yet. */
  get hasFinality(): boolean {
    return this.#finality !== undefined;
  }

  /**
   * Commits finality up to the latest ref, or part of the way, when it is a block of ours. `false`: we have another
   * block there, so look at the head.
   */
  async commitFinality(): Promise<boolean> {
    const ref = this.#finality;
    const { head, finalized, startNumber } = this.#state;
    this.#finality = undefined;
    if (
      ref === undefined ||
      head === undefined ||
      ref.number > head.number ||
      ref.number < (startNumber ?? 0)
    )
      return true;
    if (finalized !== undefined && ref.number <= finalized.number) return true;
    const header = await this.#options.store.findCanonicalAtOrBelow(ref.number);
    if (header === undefined) return true;
    if (ref.hash !== undefined && ref.hash !== header.hash) return false;
    const part = await this.#findFinalPart(header);
    const batch = planFinalization(this.#state, part);
    if (batch !== undefined) await this.#commit(batch);
    if (part.number < header.number) this.#finality ??= ref;
    return true;
  }

  /**
   * Undoes the blocks that the operator gave up, newest first, without asking the node. Then the node's chain is
   * followed from there.
   */
  async reset(reset: ChainReset): Promise<void> {
    const { store, log, signal } = this.#options;
    const resumeSeq = await store.beginReset(reset);
    if (resumeSeq === undefined) return;
    this.#finality = undefined;
    const step = { store, reset, resumeSeq, size: this.#chunkSize };
    for (
      let batch = await planReset(this.#state, step);
      batch !== undefined;
      batch = await planReset(this.#state, step)
    ) {
      // Whoever owns the chain next goes on from here.
      signal.throwIfAborted();
      await this.#commit(batch);
    }
    await store.finishReset(reset);
    const { head } = await this.load();
    log.warn(
      { from: reset.fromBlock, height: head?.number },
      'the chain was reset as the operator had asked',
    );
  }

  async #findFinalPart(final: BlockHeader): Promise<BlockHeader> {
    const { finalized, startNumber = 0 } = this.#state;
    const from = finalized?.number ?? startNumber - 1;
    const until = from + Math.max(FINAL_BLOCKS_MIN, Math.ceil((final.number - from) / FINAL_PARTS));
    const part = until < final.number ? await this.#options.store.findCanonicalAtOrBelow(until) : undefined;
    // If the chain skipped all those numbers, nothing lies in between.
    return part !== undefined && part.number > from ? part : final;
  }

  /**
   * Starts with a header of a node that has just proved that it is on this chain: a pushed head may come from
   * anywhere.
   */
  async #start(number: number | undefined): Promise<void> {
    const { client, signal, log } = this.#options;
    await client.verifyChain(signal);
    const header = number === undefined ? await client.readHead(signal) : await this.#findFirst(number);
    if (header === undefined)
      throw new BranchMovedError(`the node has no block at the start height ${number}, nor soon above it`);
    await this.#commit(planExtension(this.#state, { headers: [header], status: 'following' }));
    log.info({ height: header.number, hash: header.hash }, 'the chain was followed from here on');
  }

  /** The block at the height, or the next one above it where the chain skipped the number. */
  async #findFirst(number: number): Promise<BlockHeader | undefined> {
    const { client, signal } = this.#options;
    return (
      (await client.findHeaderByNumber(number, signal)) ??
      (await client.readHeaders(number, number + this.#chunkSize - 1, signal))[0]
    );
  }

  async #catchUp(from: number, to: number): Promise<void> {
    const { client, signal, concurrency = 4 } = this.#options;
    await this.#announce(from, to);
    let isFirst = true;
    for await (const headers of readRanges(client, {
      from,
      to,
      size: this.#chunkSize,
      concurrency,
      signal,
    })) {
      const status: ChainStatus =
        to - headers.at(-1)!.number >= this.#behindMin ? 'catching_up' : 'following';
      if (headers[0]!.parentHash !== this.#state.head?.hash) {
        // A chunk fetched ahead may be of a branch that is gone by now: only a fresh chunk justifies a
        // repair.
        if (!isFirst)
          throw new BranchMovedError(
            `block ${headers[0]!.number} does not stand on block ${this.#state.head?.number}`,
          );
        await this.#repair(headers, status);
        return;
      }
      const last = headers.at(-1)!.number;
      await this.#commit(
        planExtension(this.#state, { headers, status, clearTo: last < to ? last : undefined }),
      );
      if (this.#options.isInterrupted?.() === true) return;
      await this.commitFinality();
      await this.#announce(headers.at(-1)!.number + 1, to);
      isFirst = false;
    }
    if (isFirst) throw new BranchMovedError(`the node told head ${to} and has no block from ${from} on`);
  }

  get #behindMin(): number {
    return blocksIn(BEHIND_MS_MIN, this.#options.blockTime ?? { ms: Infinity }, BEHIND_BLOCKS_MIN);
  }

  /** Numbers are recorded ahead of their headers, in bulk, when more than one is missing. */
  async #announce(from: number, to: number): Promise<void> {
    if (to <= from || from <= this.#announcedTo) return;
    const last = Math.min(to, from + ANNOUNCED_MAX - 1);
    await this.#options.store.announce(from, last);
    this.#announcedTo = last;
  }

  /** The node's head is at or below ours, with another hash. */
  async #compare(told: BlockHeader): Promise<FollowOutcome> {
    const { client, signal, store } = this.#options;
    if (this.#recent.find(told.number) === told.hash) return behind(told, this.#state);
    // Heads come late and out of order; what the node says now decides.
    const head = await client.readHead(signal);
    const advance = planAdvance(this.#state, head);
    if (advance.type !== 'compare') return this.follow(head);
    const ours = await store.findCanonicalAtOrBelow(head.number);
    // Every node of this chain has that block, so no count of endpoints says that it is on another branch.
    if (ours === undefined)
      return waiting(
        `the node's head ${head.number} is below block ${this.#state.startNumber}, where the chain began here: waiting for a higher one; where the node began anew, reset the chain`,
      );
    if (ours.hash === head.hash) return behind(head, this.#state);
    const isLower = head.number < this.#state.head!.number;
    if (isLower && ((await client.countAgreeing?.(head, signal)) ?? 1) < 2) {
      return waiting(
        `the node's head ${head.number} is on another branch and below ours, ${this.#state.head!.number}: waiting for a higher one; where the node began anew, reset the chain`,
      );
    }
    await this.#repair([head], 'following');
    return FOLLOWING;
  }

  /** Undoes our branch down to where `segment` (ascending, linked) meets it, and appends the other one. */
  async #repair(segment: readonly BlockHeader[], status: ChainStatus): Promise<void> {
    const { client, store, signal, log, onRepair } = this.#options;
    // A node of another chain has no ancestor either: it must not make us drop everything.
    await client.verifyChain(signal);
    const { ancestor, branch } = await findAncestor(
      { client, store, signal, startNumber: this.#state.startNumber ?? 0 },
      segment,
    );
    const orphans = await store.readCanonical((ancestor?.number ?? -1) + 1, this.#state.head!.number);
    const { batches, isFinalityViolated } = planRepair(
      this.#state,
      { ancestor, orphans, branch },
      { blocksMax: this.#chunkSize, status },
    );
    const fields = {
      ancestor: ancestor?.number,
      orphans: orphans.length,
      blocks: branch.length,
      height: branch.at(-1)!.number,
    };
    if (isFinalityViolated)
      log.error(
        { ...fields, finalized: this.#state.finalized?.number },
        'a reorg went below finality: the chain was rebuilt from the ancestor',
      );
    this.#announcedTo = -1;
    for (const batch of batches) await this.#commit(batch);
    if (orphans.length === 0) return;
    onRepair?.({ depth: orphans.length, isFinalityViolated });
    log.info(fields, 'a reorg was followed');
  }

  async #commit(planned: FeedBatch): Promise<void> {
    const { trace } = this.#options;
    if (trace === undefined) await this.#commitTraced(planned);
    else await trace(planned, (batch) => this.#commitTraced(batch));
  }

  async #commitTraced(batch: FeedBatch): Promise<void> {
    const { store, publisher, onCommit } = this.#options;
    await store.commit(batch);
    publisher.publish(batch.entries);
    const undone = batch.entries.findLast(({ type }) => type === 'reorg');
    if (undone !== undefined) this.#recent.dropAbove(undone.number - 1);
    this.#recent.add(batch.entries.filter(({ type }) => type === 'block'));
    this.#state = batch.next;
    onCommit?.(batch);
  }
}

function waiting(reason: string): FollowOutcome {
  return { type: 'waiting', reason };
}

function behind(head: BlockHeader, state: FollowState): FollowOutcome {
  const missing = (state.head?.number ?? head.number) - head.number;
  return missing === 0 ? FOLLOWING : waiting(`the node is ${missing} blocks behind, at ${head.number}`);
}
