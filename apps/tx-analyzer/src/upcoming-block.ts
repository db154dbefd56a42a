import type { Block, BlockRef } from '@chainwatch/chain-core';
import type { ChainCursor } from './chain-cursor.ts';
import type { BlocksStep } from './commit-blocks.ts';
import type { BlockToAnalyse } from './prepare-blocks.ts';

/** Older than that it is worked out anew: addresses come, and are left alone. */
const PREPARED_MS = 500;

interface Prepared {
  readonly cursor: ChainCursor;
  readonly step: BlocksStep;
  readonly atMs: number;
}

interface Upcoming {
  readonly ref: BlockRef;
  readonly abort: AbortController;
  readonly reading: Promise<Block | undefined>;
  block?: Block;
  prepared?: Prepared;
}

/**
 * The block that the ingestor is about to record: read, proved and looked up while its entry of the feed is on the way.
 * Nothing depends on it. One at a time; one that never comes, or that no node has, is replaced by the next.
 */
export class UpcomingBlock {
  readonly #read: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly #onRead: () => void;
  #current: Upcoming | undefined;

  constructor(read: (ref: BlockRef, signal: AbortSignal) => Promise<Block>, onRead: () => void) {
    this.#read = read;
    this.#onRead = onRead;
  }

  get hash(): string | undefined {
    return this.#current?.ref.hash;
  }

  announce(ref: BlockRef): void {
    if (this.hash === ref.hash) return;
    this.drop();
    const abort = new AbortController();
    const reading = this.#read(ref, abort.signal).then(
      (block) => {
        current.block = block;
        this.#onRead();
        return block;
      },
      () => undefined,
    );
    const current: Upcoming = { ref, abort, reading };
    this.#current = current;
  }

  /** The body, when it is this block's: there, on its way, or undefined when it could not be read. */
  async findBody({ number, hash }: BlockRef): Promise<Block | undefined> {
    const current = this.#current;
    return current?.ref.hash === hash && current.ref.number === number ? current.reading : undefined;
  }

  /** Finds out what the block means, when it was read and stands on `cursor`. */
  async prepare(cursor: ChainCursor, work: (block: Block) => Promise<BlocksStep>): Promise<void> {
    const current = this.#current;
    if (
      current?.block === undefined ||
      current.block.parentHash !== cursor.hash ||
      isFresh(current.prepared, cursor)
    )
      return;
    const atMs = performance.now();
    current.prepared = { cursor, step: await work(current.block), atMs };
  }

  /** What was found out when `blocks` is exactly this one, once, unless something was done since. */
  takeStep(blocks: readonly BlockToAnalyse[], cursor: ChainCursor): BlocksStep | undefined {
    const current = this.#current;
    const [first, second] = blocks;
    if (
      first === undefined ||
      second !== undefined ||
      current?.block !== first.block ||
      !isFresh(current.prepared, cursor)
    )
      return undefined;
    const { step } = current.prepared;
    const { traceparent } = first;
    this.forget();
    if (traceparent === undefined) return step;
    return {
      ...step,
      matches: step.matches.map((match) => ({ ...match, traceparent })),
      reads: step.reads.map((read) => ({ ...read, traceparent })),
    };
  }

  /** Addresses may have come since: what was found out without them is not enough. */
  forget(): void {
    if (this.#current !== undefined) delete this.#current.prepared;
  }

  drop(): void {
    this.#current?.abort.abort();
    this.#current = undefined;
  }
}

function isFresh(prepared: Prepared | undefined, cursor: ChainCursor): prepared is Prepared {
  return (
    prepared !== undefined && prepared.cursor === cursor && performance.now() - prepared.atMs < PREPARED_MS
  );
}
