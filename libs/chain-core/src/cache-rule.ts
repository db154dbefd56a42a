import type { Network } from './network.ts';

/** How long answers of one method hold. */
export interface CacheRule {
  /** Of one answer; undefined: it is not kept. */
  lifetimeOf(question: CacheQuestion): Lifetime | undefined;
  /** False where answers to these raw parameters move with the head, so that other replicas are not asked for one. Default true. */
  mayLast?(params: string): boolean;
}

/** What a rule is asked with. */
export interface CacheQuestion {
  /** Parsed parameters; empty where there were none. */
  readonly params: readonly unknown[];
  /** The final height when the call was made: what became final meanwhile is not sure to be what was read. */
  readonly finalNumber: number;
  /** The raw result. */
  readonly result: Buffer;
}

/** With `untilHead` also no longer than the chain's head stands. */
export interface Lifetime {
  readonly ms: number;
  readonly untilHead: boolean;
}

export const FOREVER: Lifetime = { ms: Infinity, untilHead: false };

/** For good, whatever the answer is. */
export const keptForever: CacheRule = { lifetimeOf: () => FOREVER };

/** So long at most, and no longer than the head stands. */
export function keptAtMost(ms: number): CacheRule {
  return keptFor({ ms, untilHead: true });
}

/** Of what moves with the head: a part of a block's time. */
export function keptWhileMoving({ blockTimeMs }: Network): CacheRule {
  return keptAtMost(Math.min(blockTimeMs / 4, 1_000));
}

/** Each answer for so long, which is not for good. */
export function keptFor(lifetime: Lifetime): CacheRule {
  return { lifetimeOf: () => lifetime, mayLast: () => false };
}

/** One block's time, and no longer than the head stands. */
export function untilNextBlock({ blockTimeMs }: Network): Lifetime {
  return { ms: blockTimeMs, untilHead: true };
}
