// SPDX-License-Identifier: Apache-2.0
import { setMaxListeners } from 'node:events';
import type { Block } from '@chainwatch/chain-core';
import type { FeedEntry } from '../model/feed-entry.ts';

/** A body that is being read or is ready. `isReady` without a `block`: an orphan, or a block to skip, whose body no node has. */
export interface Body {
  readonly entry: FeedEntry;
  ready: Promise<void>;
  isReady: boolean;
  block?: Block;
  /** The last failure, while the body is not ready. */
  trouble?: string;
}

export type ReadBody = (
  entry: FeedEntry,
  onTrouble: (reason: string) => void,
  signal: AbortSignal,
) => Promise<Block | undefined>;

/** Memory that the bodies of a window may take, estimated from earlier bodies. */
const WINDOW_BYTES = 64 * 1024 * 1024;
/** At least this many blocks are read ahead, however large they are. */
const WINDOW_MIN = 8;
/** Window while the size of blocks is not known yet. */
const WINDOW_FIRST = 16;
/** Estimated bytes of a decoded transaction. */
const TRANSACTION_BYTES = 2_000;

/** Reads the bodies of the next blocks in parallel, within a window. */
export class BodyPrefetcher {
  readonly #read: ReadBody;
  readonly #windowSize: number;
  readonly #onChange: () => void;
  readonly #bodies = new Map<number, Body>();
  /** Moving average of a body's bytes; large until the first bodies have arrived. */
  #typicalBytes = WINDOW_BYTES / WINDOW_FIRST;
  #abort = createAbort();

  /** @param onChange called when a body is ready or a read has failed; `find` returns which */
  constructor(read: ReadBody, windowSize: number, onChange: () => void) {
    this.#read = read;
    this.#windowSize = windowSize;
    this.#onChange = onChange;
  }

  /** Starts reading those of `entries` that fit into the window. */
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
          // A read rejects only when it was aborted.
          if (!signal.aborted) body.trouble = String(error);
        },
      )
      .finally(this.#onChange);
    this.#bodies.set(entry.seq, body);
  }
}

function bytesOf(block: Block): number {
  return (block.byteLength ?? 0) + TRANSACTION_BYTES * block.transactions.length;
}

/** Every read of the window listens to this one signal: that many listeners are not a leak. */
function createAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
