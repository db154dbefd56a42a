import { setMaxListeners } from 'node:events';
import { countTransactions, type Block } from '@chainwatch/chain-core';
import type { FeedEntry } from '../model/feed-entry.ts';

/** A body under way or there. `block` undefined with `isReady`: an orphan whose body is gone. */
export interface Body {
  readonly entry: FeedEntry;
  ready: Promise<void>;
  isReady: boolean;
  block?: Block;
  /** Why it is not there yet: the last failure. */
  trouble?: string;
}

export type ReadBody = (
  entry: FeedEntry,
  onTrouble: (reason: string) => void,
  signal: AbortSignal,
) => Promise<Block | undefined>;

/** Memory that the bodies of a window may take, as far as those before tell. */
const WINDOW_BYTES = 64 * 1024 * 1024;
/** However large blocks are, that many are read ahead. */
const WINDOW_MIN = 8;
/** While nothing is known of their size. */
const WINDOW_FIRST = 16;
/** Of a decoded transaction. */
const TRANSACTION_BYTES = 2_000;

/** Reads the bodies of the next blocks in parallel, within a window. */
export class BodyPrefetcher {
  readonly #read: ReadBody;
  readonly #windowSize: number;
  readonly #onChange: () => void;
  readonly #bodies = new Map<number, Body>();
  /** Of a body, a moving average; large until the first ones are there. */
  #typicalBytes = WINDOW_BYTES / WINDOW_FIRST;
  #abort = createAbort();

  /** @param onChange called when a body is there, or is in trouble, and `find` tells so */
  constructor(read: ReadBody, windowSize: number, onChange: () => void) {
    this.#read = read;
    this.#windowSize = windowSize;
    this.#onChange = onChange;
  }

  /** Starts reading what of `entries` fits into the window. */
  prefetch(entries: readonly FeedEntry[]): void {
    const window = Math.min(
      this.#windowSize,
      Math.max(WINDOW_MIN, Math.floor(WINDOW_BYTES / this.#typicalBytes)),
    );
    for (const entry of entries) {
      if (this.#bodies.size >= window) return;
      if (entry.type === 'block' && !this.#bodies.has(entry.seq)) this.#start(entry);
    }
  }

  find(seq: number): Body | undefined {
    return this.#bodies.get(seq);
  }

  /** Forgets bodies up to and including `seq`. */
  dropThrough(seq: number): void {
    for (const key of this.#bodies.keys()) {
      if (key > seq) return;
      this.#bodies.delete(key);
    }
  }

  /** Stops all reads under way. */
  reset(): void {
    this.#abort.abort();
    this.#abort = createAbort();
    this.#bodies.clear();
  }

  #start(entry: FeedEntry): void {
    const { signal } = this.#abort;
    const body: Body = { entry, isReady: false, ready: Promise.resolve() };
    body.ready = this.#read(entry, (reason) => (body.trouble = reason), signal)
      .then(
        (block) => {
          if (block !== undefined) {
            body.block = block;
            this.#typicalBytes += (bytesOf(block) - this.#typicalBytes) / WINDOW_MIN;
          }
          body.isReady = true;
        },
        (error: unknown) => {
          // Reading ends in failure only when it was called off.
          if (!signal.aborted) body.trouble = String(error);
        },
      )
      .finally(this.#onChange);
    this.#bodies.set(entry.seq, body);
  }
}

function bytesOf(block: Block): number {
  return block.byteLength ?? TRANSACTION_BYTES * countTransactions(block);
}

/** Every read of the window listens to the one signal: that many listeners are no leak. */
function createAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
