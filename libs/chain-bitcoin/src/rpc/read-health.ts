// SPDX-License-Identifier: Apache-2.0
import type { AskNode, Network, NodeHealth } from '@chainwatch/chain-core';
import { readTraits } from '../networks.ts';

/** A node is of the chain when it has the blocks by which the chain is told. */
export async function readHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const { identity } = readTraits(network);
  const [best, ...hashes] = await Promise.all([
    ask<string>('getbestblockhash'),
    ...identity.map(({ height }) => ask<string>('getblockhash', [height])),
  ]);
  const number = await ask('getblockcount');
  const isOther = hashes.some((hash, at) => typeof hash === 'string' && hash !== identity[at]!.hash);
  const isKnown = hashes.every((hash) => typeof hash === 'string');
  return {
    // A node that has not reached all of them does not tell yet.
    isRightChain: isOther ? false : isKnown || undefined,
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
