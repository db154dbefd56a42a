import type { Database } from '@chainwatch/db';
import { ShareLostError } from '@chainwatch/ownership';
import type { Advance } from './advance-cursor.ts';
import type { AssetBook } from './asset-book.ts';
import type { BlockRing } from './block-ring.ts';
import type { ChainContext } from './chain-context.ts';
import type { FamilyWatch } from './family-watch.ts';
import type { LateReader } from './find-late-matches.ts';
import type { OutboxEvent } from './planned-event.ts';

/** What the chain's only writer works with, beside the feed. */
export interface WriterTools {
  readonly db: Database;
  readonly chain: ChainContext;
  readonly watch: FamilyWatch;
  readonly assets: AssetBook;
  readonly ring: BlockRing;
}

/** Its turn at a piece of work that was handed to it. */
export interface WriterTurn extends WriterTools {
  readonly readBody: LateReader;
  /** Where the chain stands. */
  readonly advance: Advance;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Committed when it resolves; the events are told then. */
export type WriterWork<T> = (
  turn: WriterTurn,
) => Promise<{ readonly value: T; readonly events: readonly OutboxEvent[] }>;

interface Piece {
  readonly work: WriterWork<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Where what is found out beside the feed waits for the chain's only writer: one piece of each who hands in, in order. */
export class WriterDesk {
  readonly #onNews: () => void;
  readonly #pieces: Piece[] = [];
  #end: { readonly error: unknown } | undefined;

  constructor(onNews: () => void) {
    this.#onNews = onNews;
  }

  get hasWork(): boolean {
    return this.#pieces.length > 0;
  }

  /** Resolves when the work is committed, rejects when it failed or the chain was let go. */
  hand<T>(work: WriterWork<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end.error);
      this.#pieces.push({ work, resolve, reject });
      this.#onNews();
    });
  }

  /** The owner of the chain lets go: nobody takes anything over here any more. */
  cancel(error: unknown): void {
    this.#end = { error };
    for (const { reject } of this.#pieces.splice(0)) reject(error);
  }

  /** Does the oldest piece. What is wrong with it is told to who handed it in. @throws ShareLostError */
  async serve(turn: WriterTurn): Promise<readonly OutboxEvent[]> {
    const { work, resolve, reject } = this.#pieces.shift()!;
    try {
      const { value, events } = await work(turn);
      resolve(value as never);
      return events;
    } catch (error) {
      reject(error);
      if (error instanceof ShareLostError) throw error;
      return [];
    }
  }
}
