import type { Block, BlockRef } from '@chainwatch/chain-core';

interface Upcoming {
  readonly ref: BlockRef;
  readonly abort: AbortController;
  readonly reading: Promise<Block | undefined>;
  block?: Block;
}

/**
 * The block that the ingestor is about to record: read and proved while its feed entry is on the way. Nothing
 * depends on it. One at a time; a block that never comes, or that no node has, is replaced by the next.
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

  /** Undefined while it is being read. */
  get block(): Block | undefined {
    return this.#current?.block;
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

  /** The body, if this is the upcoming block: waits for a read in progress; undefined when it could not be read. */
  async findBody({ number, hash }: BlockRef): Promise<Block | undefined> {
    const current = this.#current;
    return current?.ref.hash === hash && current.ref.number === number ? current.reading : undefined;
  }

  drop(): void {
    this.#current?.abort.abort();
    this.#current = undefined;
  }
}
