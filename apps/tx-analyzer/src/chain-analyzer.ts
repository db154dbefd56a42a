import { setTimeout as delay } from 'node:timers/promises';
import {
  describePublicly,
  IncompleteBlockError,
  type ActiveChain,
  type Block,
  type BlockRef,
  type ChainClient,
  type OpenedChain,
  Wake,
} from '@chainwatch/chain-core';
import { ShareLostError, type OwnedShare } from '@chainwatch/ownership';
import type { PayloadOf } from '@chainwatch/events';
import { statusOf } from './advance-cursor.ts';
import { AssetBook } from './asset-book.ts';
import { backlogFirst } from './backlog-first.ts';
import { BlockRing } from './block-ring.ts';
import { BodyPrefetcher } from './body-prefetcher.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import type { ChainContext } from './chain-context.ts';
import type { ChainReport } from './chain-report.ts';
import { ChainStanding } from './chain-standing.ts';
import type { BlocksStep } from './commit-blocks.ts';
import { readCursor, type ChainCursor } from './chain-cursor.ts';
import { CoinWatch } from './coin-watch.ts';
import { ChainWatch, type LateAddress } from './chain-watch.ts';
import { entryOfMessage } from './feed-entry.ts';
import { FeedGapError, FeedQueue } from './feed-queue.ts';
import { MempoolAnalyzer } from './mempool-analyzer.ts';
import { findAncestorNumber } from './find-ancestor-number.ts';
import { findLateCandidates, type LateReader } from './find-late-matches.ts';
import { recordStep } from './analyzer-metrics.ts';
import { movedTokens, prepareBlocks, type BlockToAnalyse } from './prepare-blocks.ts';
import { nextCursor } from './next-cursor.ts';
import { readBody } from './read-body.ts';
import { runStep } from './run-step.ts';
import { stepInTrace } from './step-in-trace.ts';
import { FeedMismatchError, groupBlocks, takeSegment, type Segment } from './take-segment.ts';
import { UnknownGate } from './unknown/unknown-gate.ts';
import { UpcomingBlock } from './upcoming-block.ts';
import { WriterDesk } from './writer-desk.ts';

const NOTHING: Segment = { entries: [], orphans: [], blocks: [] };
const FAILURE_WAIT_MS_MAX = 5_000;
const BACKLOG_ENTRIES = 8;
/** Behind, steps begin that long after each other at least: one for some blocks costs less than one for each. */
const GATHER_MS = 20;

/** Works off the feed of one chain, as its only owner. */
export class ChainAnalyzer {
  readonly #deps: ChainAnalyzerDeps;
  readonly #opened: OpenedChain;
  readonly #chain: ChainContext;
  readonly #queue: FeedQueue;
  readonly #bodies: BodyPrefetcher;
  readonly #upcoming: UpcomingBlock;
  readonly #ring = new BlockRing();
  readonly #wake = new Wake();
  readonly #assets: AssetBook;
  readonly #standing: ChainStanding;
  readonly #mempool: MempoolAnalyzer;
  readonly #gate: UnknownGate;
  /** What is found out beside the feed is handed in here. */
  readonly desk = new WriterDesk(this.#wake.notify);
  #watch!: ChainWatch;
  #cursor: ChainCursor = { seq: 0 };
  #late: LateAddress[] = [];
  #news: string[] = [];
  #headNumber = 0;
  #loadedAt = 0;
  #failures = 0;
  #matchesPerBlock = 50;

  constructor(deps: ChainAnalyzerDeps, chain: ActiveChain, opened: OpenedChain, share: OwnedShare) {
    const { db, options, logger } = deps;
    const client = () => opened.client;
    this.#deps = deps;
    this.#opened = opened;
    this.#assets = new AssetBook({
      sql: db,
      network: opened.network,
      client,
      metadataTimeoutMs: options.metadataTimeoutMs,
    });
    const { decimalsOf, learn } = this.#assets;
    const utxo = opened.utxo && { codec: opened.utxo, coins: new CoinWatch(db, chain.gid) };
    const endpointOf = (block: object) => opened.client.endpointOf(block);
    this.#chain = {
      gid: chain.gid,
      family: chain.family,
      network: opened.network,
      ...(utxo === undefined ? {} : { utxo }),
      share,
      endpointOf,
      displayOf: opened.displayAddress ?? ((address) => address),
      decimalsOf,
      learn,
    };
    this.#standing = new ChainStanding({ logger, chain: this.#chain });
    this.#mempool = new MempoolAnalyzer({
      ...deps,
      watch: deps.family,
      chain: this.#chain,
      reader: opened.client.mempool,
      ring: this.#ring,
      onNews: this.#wake.notify,
    });
    this.#gate = new UnknownGate({
      sql: db,
      client: opened.client,
      chain: this.#chain,
      waitMs: options.unknownWaitMs,
    });
    this.#queue = new FeedQueue(db, chain.gid);
    this.#upcoming = new UpcomingBlock(
      (ref, signal) => opened.client.readBlock(ref, signal),
      this.#wake.notify,
    );
    this.#bodies = new BodyPrefetcher(
      async (entry, onTrouble, signal) =>
        (await this.#upcoming.findBody(entry)) ??
        this.#readBody(
          this.#isBehind && this.#failures === 0 ? backlogFirst(opened.client, deps.backlog) : client,
          entry,
          onTrouble,
          signal,
        ),
      options.prefetchWindow,
      this.#wake.notify,
    );
  }

  get report(): ChainReport {
    const { status, reason } = this.#standing;
    return {
      chainGid: this.#chain.gid,
      status,
      ...(reason === undefined ? {} : { reason }),
      lagBlocks: Math.max(0, this.#headNumber - (this.#cursor.number ?? this.#headNumber)),
      ...(this.#cursor.number === undefined ? {} : { cursorNumber: this.#cursor.number }),
    };
  }

  get assets(): AssetBook {
    return this.#assets;
  }

  readonly readBlock = (ref: BlockRef, signal: AbortSignal): Promise<Block> => this.#gate.read(ref, signal);

  /** Something may have changed: look now. */
  notify = (): void => {
    this.#watch?.expectNews();
    this.#wake.notify();
  };

  /** The ingestor is about to record a block: what can be done about it before is done meanwhile. */
  anticipate = ({ number, hash, parent_hash: parentHash }: PayloadOf<'block.seen'>): void => {
    const tip = this.#queue.entries.findLast(({ type }) => type === 'block') ?? this.#cursor;
    if (parentHash !== tip.hash) return;
    this.#upcoming.announce({ number, hash });
    this.#wake.notify();
  };

  /** A message of the ingestor: the next entry comes without a query. */
  push = (payload: PayloadOf<'block.new'>, traceparent?: string): void => {
    this.#headNumber = Math.max(this.#headNumber, payload.number);
    this.#queue.push(entryOfMessage(payload, traceparent));
    this.#bodies.prefetch(this.#queue.entries);
    this.#wake.notify();
  };

  /** Entries may have been added that no message told of. */
  readFeed = (): void => {
    this.#loadedAt = 0;
    this.#wake.notify();
  };

  /** Runs until the signal aborts. @throws ShareLostError when another replica took over */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#wake.notify, { once: true });
    let isLoaded = false;
    const end = new AbortController();
    const watching = this.#mempool.watch(AbortSignal.any([signal, end.signal]));
    try {
      while (!signal.aborted) {
        try {
          const startedAt = performance.now();
          if (!isLoaded) await this.#load();
          isLoaded = true;
          const isBusy = await this.#turn(signal);
          this.#failures = 0;
          if (!isBusy) await this.#wake.wait(this.#deps.options.pollMs);
          if (this.#isBehind && !signal.aborted)
            await delay(Math.max(0, startedAt + GATHER_MS - performance.now()));
        } catch (error) {
          if (error instanceof ShareLostError) throw error;
          if (signal.aborted) return;
          isLoaded = false;
          await this.#fail(error);
        }
      }
    } finally {
      signal.removeEventListener('abort', this.#wake.notify);
      this.#bodies.reset();
      this.#upcoming.drop();
      this.desk.cancel(new Error('the chain was let go'));
      end.abort();
      await watching;
    }
  }

  /** Reads where the chain stands; what was going on here and is not committed is forgotten. */
  async #load(): Promise<void> {
    const { db, family } = this.#deps;
    const { cursor, watchXid } = await readCursor(db, this.#chain.gid);
    await this.#assets.load();
    const { utxo } = this.#chain;
    await utxo?.coins.load();
    this.#cursor = cursor;
    this.#late = [];
    this.#watch = new ChainWatch(db, this.#chain.gid, family, watchXid, (address) =>
      this.#news.push(utxo === undefined ? address : utxo.codec.matchKeyOf(address)),
    );
    await this.#mempool.load();
    if (cursor.seq === 0) this.#watch.skipToLoaded();
    if (this.#ring.tip?.hash !== cursor.hash) this.#ring.clear();
    if (this.#queue.entries[0]?.seq !== cursor.seq + 1) {
      this.#bodies.reset();
      this.#queue.reset(cursor.seq);
    }
    this.#loadedAt = 0;
    this.#upcoming.drop();
  }

  /** One look at feed and addresses, and the step they ask for. False when there was nothing to do. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    // Before the news: everything late is dealt with here.
    if (this.desk.hasWork) await this.#serveDesk(signal);
    const nowMs = Date.now();
    const isDue = this.#queue.needsLoad || nowMs - this.#loadedAt >= this.#deps.options.sweepMs;
    if (isDue) this.#loadedAt = nowMs;
    if (isDue) await this.#queue.load();
    this.#headNumber = Math.max(this.#headNumber, this.#queue.entries.at(-1)?.number ?? 0);
    this.#bodies.prefetch(this.#queue.entries);
    // The bodies arrive meanwhile. What is registered between this look and the step is late at the next one.
    const late = await this.#watch.readNews(
      this.#queue.entries[0]?.hash ?? this.#upcoming.hash,
      this.#cursor.number,
      this.#deps.options.pollMs,
    );
    if (late !== undefined) this.#upcoming.forget();
    this.#late.push(...(late ?? []));
    this.#mempool.recheck(this.#news.splice(0));
    const { groupTransactionsMax: transactionsMax } = this.#deps.options;
    const segment = takeSegment(this.#queue.entries, this.#bodies, this.#cursor, {
      blocksMax: groupBlocks(this.#matchesPerBlock, this.#deps.options.groupBlocksMax),
      transactionsMax,
    });
    const first = this.#queue.entries[0];
    if (segment !== undefined || first === undefined) this.#standing.noteMoving();
    else await this.#standing.noteWaiting(first, this.#bodies.find(first.seq)?.trouble, nowMs);
    // A chain that stood still and has nothing to do any more says so, too.
    const hasRecovered = this.#standing.reason !== undefined && first === undefined;
    if (segment === undefined && this.#late.length === 0 && !hasRecovered) {
      // Where outputs are spent, looking into a block changes what is looked for.
      if (this.#chain.utxo === undefined)
        await this.#upcoming.prepare(this.#cursor, (block) => this.#prepare([{ block }], [], signal));
      return this.#lookAtMempool();
    }
    await stepInTrace(this.#chain.gid, segment ?? NOTHING, (traced) => this.#step(traced, signal));
    return true;
  }

  async #serveDesk(signal: AbortSignal): Promise<void> {
    const { db, family: watch, now } = this.#deps;
    const advance = {
      cursor: this.#cursor,
      watchXid: this.#watch.watchXid,
      lagEntries: this.#queue.lastSeq - this.#cursor.seq,
      processedHashes: [],
    };
    const events = await this.desk.serve({
      db,
      chain: this.#chain,
      watch,
      assets: this.#assets,
      ring: this.#ring,
      readBody: this.readBodyFor(signal),
      advance,
      now: now(),
      signal,
    });
    if (this.#standing.status !== 'recovering') this.#deps.relay.publish(events);
  }

  /** False when it had nothing new. */
  async #lookAtMempool(): Promise<boolean> {
    const events = await this.#mempool.step(this.#cursor);
    this.#deps.relay.publish(events);
    return events.length > 0;
  }

  get #isBehind(): boolean {
    return this.#queue.lastSeq - this.#cursor.seq > BACKLOG_ENTRIES;
  }

  async #step(segment: Segment, signal: AbortSignal): Promise<void> {
    const { db, relay, now } = this.#deps;
    const startedAt = performance.now();
    const late = this.#late;
    const { gid: chainGid, network } = this.#chain;
    const blocks = segment.blocks.flatMap(({ entry, block }) =>
      block === undefined
        ? []
        : [{ block, ...(entry.traceparent === undefined ? {} : { traceparent: entry.traceparent }) }],
    );
    const prepared = late.length === 0 ? this.#upcoming.takeStep(blocks, this.#cursor) : undefined;
    const step = prepared ?? (await this.#prepare(blocks, late, signal));
    const cursor = nextCursor(this.#cursor, segment, await findAncestorNumber(db, chainGid, segment));
    const advance = {
      cursor,
      watchXid: this.#watch.watchXid,
      lagEntries: this.#queue.lastSeq - cursor.seq,
      processedHashes: segment.blocks.map(({ entry }) => entry.hash),
    };
    const settlement = await this.#mempool.settle(blocks.map(({ block }) => block));
    const { events, isReleased } = await runStep(this.#chain, {
      segment,
      step,
      cursor: this.#cursor,
      advance,
      settlement,
      now: now(),
    });
    this.#mempool.finish(settlement, events);
    if (blocks.length > 0)
      this.#matchesPerBlock = (this.#matchesPerBlock + step.matches.length / blocks.length) / 2;
    this.#finish(
      segment,
      blocks.map(({ block }) => block),
      cursor,
    );
    this.#assets.markSaved(step.newAssets, movedTokens([...step.late, ...step.matches], network.native.gid));
    this.#standing.noteStep(statusOf(advance));
    if (isReleased) void relay.catchUp();
    else if (this.#standing.status !== 'recovering') relay.publish(events);
    recordStep(this.#chain.gid, {
      blocks: segment.blocks.length,
      events: events.length,
      lagBlocks: this.report.lagBlocks,
      seconds: (performance.now() - startedAt) / 1000,
    });
  }

  async #prepare(
    blocks: readonly BlockToAnalyse[],
    late: readonly LateAddress[],
    signal: AbortSignal,
  ): Promise<BlocksStep> {
    const { db, family: watch } = this.#deps;
    const { gid: chainGid, family, network, utxo } = this.#chain;
    const passed = {
      sql: db,
      chainGid,
      ring: this.#ring,
      ...(utxo === undefined ? {} : { codec: utxo.codec }),
      readBody: this.readBodyFor(signal),
    };
    const lateCandidates = await findLateCandidates(passed, late, this.#cursor.number ?? -1);
    return prepareBlocks(
      {
        sql: db,
        chainGid,
        family,
        network,
        watch,
        client: this.#opened.client,
        assets: this.#assets,
        ...(utxo === undefined ? {} : { utxo }),
      },
      blocks,
      late,
      lateCandidates,
      signal,
    );
  }

  /** Reads bodies of blocks that were passed. */
  readBodyFor(signal: AbortSignal): LateReader {
    return (ref) => this.#readBody(() => this.#opened.client, ref, this.#standing.setStalled, signal);
  }

  #readBody(
    client: () => Pick<ChainClient, 'readBlock'>,
    ref: BlockRef,
    onTrouble: (reason: string) => void,
    signal: AbortSignal,
  ): Promise<Block | undefined> {
    return readBody(
      {
        client,
        unknowns: this.#gate,
        sql: this.#deps.db,
        chainGid: this.#chain.gid,
        logger: this.#deps.logger,
        noteReach: this.#deps.noteReach,
      },
      ref,
      onTrouble,
      signal,
    );
  }

  /** The step is committed. */
  #finish(segment: Segment, blocks: readonly Parameters<BlockRing['push']>[0][], cursor: ChainCursor): void {
    for (const orphan of segment.orphans) this.#ring.popOrphan(orphan.hash);
    for (const block of blocks) this.#ring.push(block);
    this.#cursor = cursor;
    this.#late = [];
    this.#queue.drop(segment.entries.length);
    // After a reset the chain may be lower than it was.
    if (segment.orphans.length > 0) this.#headNumber = 0;
    this.#bodies.dropThrough(cursor.seq);
    this.#bodies.prefetch(this.#queue.entries);
  }

  async #fail(error: unknown): Promise<void> {
    this.#deps.logger.warn({ chain_gid: this.#chain.gid, error }, 'a step failed, it is tried again');
    await this.#standing.writeStalled(describePublicly(error)).catch(() => undefined);
    this.#failures += 1;
    if ([FeedGapError, FeedMismatchError, IncompleteBlockError].some((type) => error instanceof type)) {
      this.#ring.clear();
      this.#queue.reset(this.#cursor.seq);
      this.#bodies.reset();
    }
    await this.#wake.wait(Math.min(50 * 2 ** this.#failures, FAILURE_WAIT_MS_MAX));
  }
}
