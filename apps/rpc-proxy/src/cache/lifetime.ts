import type { Chain } from '../chains/chain.ts';

/** What a rule is asked with. */
export interface CacheQuestion {
  readonly chain: Chain;
  readonly method: string;
  /** Parsed parameters; empty where there were none. */
  readonly params: readonly unknown[];
  /** The final height when the call was made: what became final meanwhile is not sure to be what was read. */
  readonly finalNumber: number;
  /** The raw result. */
  readonly result: Buffer;
}

/** How long an answer holds. With `untilHead` also no longer than the chain's head stands. */
export interface Lifetime {
  readonly ms: number;
  readonly untilHead: boolean;
}

export const FOREVER: Lifetime = { ms: Infinity, untilHead: false };

/** undefined: not kept. */
export type CacheRule = (question: CacheQuestion) => Lifetime | undefined;

/** One block's time, and no longer than the head stands. */
export function untilNextBlock({ chain }: CacheQuestion): Lifetime {
  return { ms: chain.network.blockTimeMs, untilHead: true };
}

/** Of what moves with the head. */
export function moving({ chain }: CacheQuestion): Lifetime {
  return { ms: Math.min(chain.network.blockTimeMs / 4, 1_000), untilHead: true };
}

export function atMost(ms: number): CacheRule {
  return () => ({ ms, untilHead: true });
}
