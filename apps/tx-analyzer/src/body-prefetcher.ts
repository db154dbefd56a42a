import { setMaxListeners } from 'node:events';
import type { Block } from '@chainwatch/chain-core';
import type { FeedEntry } from './feed-entry.ts';

/** A body under way or there. `block` undefined with `isReady`: an orphan whose body is gone. */
export interface Body {
  readonly entry: FeedEntry;
  ready: Promise<void>;
  isReady: boolean;
  block?: Block;
  /** Why it is not there yet: the last failure. */
  trouble?: string;
}

export type ReadBody = (entry: FeedEntry, onTrouble: (reason: string) => void, signal: AbortSignal) => Promise<Block | undefined>;

/** Reads the bodies of the next blocks in parallel, within a window. */
export class BodyPrefetcher {
  readonly #read: ReadBody;
  readonly #windowSize: number;
  readonly #onChange: () => void;
  readonly #bodies = new Map<number, Body>();
  #abort = createAbort();

  /** @param onChange called when a body is there, or is in trouble, and `find` tells so */
  constructor(read: ReadBody, windowSize: number, onChange: () => void) {
    this.#read = read;
    this.#windowSize = windowSize;
    this.#onChange = onChange;
  }

  /** Starts reading what of `entries` fits into the window. */
  prefetch(entries: readonly FeedEntry[]): void {
    for (const entry of entries) {
      if (this.#bodies.size >= this.#windowSize) return;
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
    body.ready = this.#read(entry, (reason) => (body.trouble = reason), signal).then(
      (block) => {
        if (block !== undefined) body.block = block;
        body.isReady = true;
      },
      (error: unknown) => {
        // Reading ends in failure only when it was called off.
        if (!signal.aborted) body.trouble = String(error);
      },
    ).finally(this.#onChange);
    this.#bodies.set(entry.seq, body);
  }
}

/** Every read of the window listens to the one signal: that many listeners are no leak. */
function createAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
