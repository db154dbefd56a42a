// SPDX-License-Identifier: Apache-2.0
import type { OwnedShare } from './owned-share.ts';

/** The work on a share, while it lasts. */
export interface ShareWork<T> {
  readonly share: OwnedShare;
  /** The current item. When it changes, the work ends and starts again with the new one. */
  readonly item: T;
  /** Aborted when the share is lost or let go, or its item changes: end soon, between two steps. */
  readonly signal: AbortSignal;
  /** Reports whether the share's node answers. Without an answer the share goes to a replica that may reach it. */
  readonly reportReach: (isReachable: boolean) => void;
}

export type Work<T> = (work: ShareWork<T>) => Promise<void>;

/** A share of ours with the work on it, from taking it over to letting it go. */
export class HeldShare<T> {
  readonly share: OwnedShare;
  #item: T;
  #renewed = new AbortController();
  readonly #end = new AbortController();
  #unreachableSinceMs: number | undefined;

  constructor(share: OwnedShare, item: T) {
    this.share = share;
    this.#item = item;
  }

  get item(): T {
    return this.#item;
  }

  get isEnding(): boolean {
    return this.#end.signal.aborted || this.share.signal.aborted;
  }

  /** Milliseconds for which its node has not answered. */
  unreachableMs(): number {
    return this.#unreachableSinceMs === undefined ? 0 : performance.now() - this.#unreachableSinceMs;
  }

  /** Ends the work in order. */
  letGo(): void {
    this.#end.abort();
  }

  /** Restarts the work with another item; the share stays ours. */
  change(item: T): void {
    this.#item = item;
    this.#renewed.abort();
  }

  /** Resolves when the work ended because it was told to, or by itself. */
  async run(work: Work<T>): Promise<void> {
    do {
      this.#renewed = new AbortController();
      this.#unreachableSinceMs = undefined;
      const signal = AbortSignal.any([this.#end.signal, this.share.signal, this.#renewed.signal]);
      await work({
        share: this.share,
        item: this.#item,
        signal,
        reportReach: (isReachable) => {
          if (isReachable) this.#unreachableSinceMs = undefined;
          else this.#unreachableSinceMs ??= performance.now();
        },
      });
    } while (this.#renewed.signal.aborted && !this.isEnding);
  }
}
