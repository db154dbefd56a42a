import { FOREVER, keptAtMost, keptForever, type CacheRule } from '@chainwatch/chain-core';

/** Even at `finalized` the root moves this often. */
const root = keptAtMost(400);
const UNSETTLED = /"(processed|confirmed)"/;

interface Config {
  readonly commitment?: unknown;
  readonly epoch?: unknown;
}

function commitmentOf(config: unknown): unknown {
  const given = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return given ?? 'finalized';
}

/** Finalized ones do not change; confirmed ones almost never do. */
const settled: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params }) => {
    const commitment = commitmentOf(params[1]);
    if (commitment === 'finalized') return FOREVER;
    return commitment === 'confirmed' ? { ms: 2_000, untilHead: false } : undefined;
  },
};

const currentBy = (index: number): CacheRule => ({
  ...root,
  lifetimeOf: (question) =>
    commitmentOf(question.params[index]) === 'processed' ? undefined : root.lifetimeOf(question),
});

const inflationReward: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params, result }) =>
    typeof (params[1] as Config | undefined)?.epoch === 'number' && !result.includes('null')
      ? FOREVER
      : undefined,
};

export function createCacheRules(): ReadonlyMap<string, CacheRule> {
  return new Map([
    ['getBlock', settled],
    ['getTransaction', settled],
    ['getBlockTime', keptForever],
    ['getGenesisHash', keptForever],
    ['getInflationReward', inflationReward],
    ['getSlot', currentBy(0)],
    ['getBlockHeight', currentBy(0)],
    ['getAccountInfo', currentBy(1)],
    ['getMultipleAccounts', currentBy(1)],
    ['getProgramAccounts', currentBy(1)],
    ['getSignaturesForAddress', currentBy(1)],
  ]);
}
