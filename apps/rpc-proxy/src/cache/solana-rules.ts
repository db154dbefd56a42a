import { atMost, FOREVER, type CacheRule } from './lifetime.ts';

const root = atMost(400);

interface Config {
  readonly commitment?: unknown;
  readonly epoch?: unknown;
}

function commitmentOf(config: unknown): unknown {
  const given = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return given ?? 'finalized';
}

/** Finalized ones do not change; confirmed ones almost never do. */
const settled =
  (index: number): CacheRule =>
  ({ params }) => {
    const commitment = commitmentOf(params[index]);
    if (commitment === 'finalized') return FOREVER;
    return commitment === 'confirmed' ? { ms: 2_000, untilHead: false } : undefined;
  };

/** Even at finalized the root moves every 400 ms. */
const current =
  (index: number): CacheRule =>
  (question) =>
    commitmentOf(question.params[index]) === 'processed' ? undefined : root(question);

export const solanaRules: Readonly<Record<string, CacheRule>> = {
  getBlock: settled(1),
  getTransaction: settled(1),
  getBlockTime: () => FOREVER,
  getGenesisHash: () => FOREVER,
  getInflationReward: ({ params, result }) =>
    typeof (params[1] as Config | undefined)?.epoch === 'number' && !result.includes('null')
      ? FOREVER
      : undefined,
  getSlot: current(0),
  getBlockHeight: current(0),
  getAccountInfo: current(1),
  getMultipleAccounts: current(1),
  getProgramAccounts: current(1),
  getSignaturesForAddress: current(1),
};
