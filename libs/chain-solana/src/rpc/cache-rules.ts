// SPDX-License-Identifier: Apache-2.0
import { FOREVER, keptForever, untilNextBlock, type CacheRule, type Pace } from '@chainwatch/chain-core';

const UNSETTLED = /"(processed|confirmed)"/;

interface Config {
  readonly commitment?: unknown;
  readonly epoch?: unknown;
}

function commitmentOf(config: unknown): unknown {
  const given = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return given ?? 'finalized';
}

/**
 * A node whose history begins later, or which has not stored everything of a block yet, answers without what each
 * transaction did or without the block's time: "null if not available" (solana.com/docs/rpc/http/getblock).
 */
const UNAVAILABLE = /"(?:meta|blockTime|blockHeight)"\s*:\s*null\b/;

/** Finalized ones do not change; confirmed ones almost never do. */
const settled: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params, result }) => {
    if (UNAVAILABLE.test(result.toString('latin1'))) return undefined;
    const commitment = commitmentOf(params[1]);
    if (commitment === 'finalized') return FOREVER;
    return commitment === 'confirmed' ? { ms: 2_000, untilHead: false } : undefined;
  },
};

/** The time of a slot that is not final is an estimate of the votes until then, and its block may be dropped. */
const blockTime: CacheRule = {
  lifetimeOf: ({ params: [slot], finalNumber }) =>
    typeof slot === 'number' && slot <= finalNumber ? FOREVER : undefined,
};

/** Even at `finalized` the root moves with each slot. */
const currentBy = (pace: Pace, index: number): CacheRule => ({
  lifetimeOf: ({ params }) =>
    commitmentOf(params[index]) === 'processed' ? undefined : untilNextBlock(pace),
  mayLast: () => false,
});

const inflationReward: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params, result }) =>
    typeof (params[1] as Config | undefined)?.epoch === 'number' && !result.includes('null')
      ? FOREVER
      : undefined,
};

export function createCacheRules(pace: Pace): ReadonlyMap<string, CacheRule> {
  return new Map([
    ['getBlock', settled],
    ['getTransaction', settled],
    ['getBlockTime', blockTime],
    ['getGenesisHash', keptForever],
    ['getInflationReward', inflationReward],
    ['getSlot', currentBy(pace, 0)],
    ['getBlockHeight', currentBy(pace, 0)],
    ['getAccountInfo', currentBy(pace, 1)],
    ['getMultipleAccounts', currentBy(pace, 1)],
    ['getProgramAccounts', currentBy(pace, 1)],
    ['getSignaturesForAddress', currentBy(pace, 1)],
  ]);
}
