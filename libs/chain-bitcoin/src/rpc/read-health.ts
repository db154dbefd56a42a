import type { AskNode, Network, NodeHealth } from '@chainwatch/chain-core';

/** The reference of a chain's gid is the beginning of its genesis block's hash. */
export async function readHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const [genesis, best] = await Promise.all([ask('getblockhash', [0]), ask<string>('getbestblockhash')]);
  const number = await ask('getblockcount');
  return {
    isRightChain: typeof genesis === 'string' ? genesis.startsWith(network.reference) : undefined,
    head:
      typeof number === 'number'
        ? {
            number,
            hash: best ?? `${number}`,
            final: number - network.confirmation.depth,
            timeMs: Date.now(),
          }
        : undefined,
  };
}
