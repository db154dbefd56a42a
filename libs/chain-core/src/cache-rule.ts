// SPDX-License-Identifier: Apache-2.0
/** How long answers of one method may be kept. */
export interface CacheRule {
  /** Lifetime of one answer; undefined: it is not kept. */
  lifetimeOf(question: CacheQuestion): Lifetime | undefined;
  /** False where answers to these raw parameters move with the head, so that other replicas are not asked for one. Default true. */
  mayLast?(params: string): boolean;
  /**
   * Whether an error inside a result is a fact of the chain, such as a call that reverted, and not a failure of the node.
   * Absent: none is. An answer with any other error is never kept.
   */
  isFact?(error: string): boolean;
}

/** What a rule is asked with. */
export interface CacheQuestion {
  /** Parsed parameters; empty where there were none. */
  readonly params: readonly unknown[];
  /** The final height when the call was made. A block that became final later may not be the one that was read. */
  readonly finalNumber: number;
  /** The raw result. */
  readonly result: Buffer;
}

/** With `untilHead` it also ends when the chain's head changes. */
export interface Lifetime {
  readonly ms: number;
  readonly untilHead: boolean;
}

/** How fast a chain is. Read for each answer: it is measured (`BlockTime`). */
export interface Pace {
  /** The shortest time between two blocks that is to be expected. */
  readonly shortestMs: number;
}

export const FOREVER: Lifetime = { ms: Infinity, untilHead: false };

/** For good, whatever the answer is. */
export const keptForever: CacheRule = { lifetimeOf: () => FOREVER };

/** For `ms` at most, and only until the head changes. */
export function keptAtMost(ms: number): CacheRule {
  return keptFor({ ms, untilHead: true });
}

/** For answers that move with the head: a part of a block's time. */
export function keptWhileMoving(pace: Pace): CacheRule {
  return {
    lifetimeOf: () => ({ ms: Math.min(pace.shortestMs / 4, 1_000), untilHead: true }),
    mayLast: () => false,
  };
}

/** Each answer for `lifetime`, never for good. */
export function keptFor(lifetime: Lifetime): CacheRule {
  return { lifetimeOf: () => lifetime, mayLast: () => false };
}

/** One block's time at most, and only until the head changes. */
export function untilNextBlock({ shortestMs }: Pace): Lifetime {
  return { ms: shortestMs, untilHead: true };
}
