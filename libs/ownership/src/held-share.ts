import type { OwnedShare } from './owned-share.ts';

/** A share at work. */
export interface ShareWork<T> {
  readonly share: OwnedShare;
  /** What the share is now: another one ends the work, and it begins anew with that. */
  readonly item: T;
  /** Aborted when the share is lost, let go, or became another: end what is under way soon, between two steps. */
  readonly signal: AbortSignal;
  /** Says whether what the share needs outside, a chain's node, answers: without an answer the share goes to who may reach it. */
  readonly reportReach: (isReachable: boolean) => void;
}

export type Work<T> = (work: ShareWork<T>) => Promise<void>;

/** A share that is ours, with the work on it, from the take-over until it is let go. */
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

  /** How long its node did not answer. */
  unreachableMs(): number {
    return this.#unreachableSinceMs === undefined ? 0 : performance.now() - this.#unreachableSinceMs;
  }

  /** Ends the work in order. */
  letGo(): void {
    this.#end.abort();
  }

  /** The work begins anew with another item, and the share stays. */
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
