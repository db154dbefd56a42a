// SPDX-License-Identifier: Apache-2.0
import { connectBitcoinNode, fundWallet, walletKey } from './index.ts';

const BLOCK_INTERVAL_MS = 10_000;

/**
 * Gives the demo's wallet coins where the chain is young, and mines a block every ten seconds from then on: a Bitcoin
 * node does not by itself. Ends with this process. @throws Error when the node does not answer
 */
export async function startMining(endpointUrl: string): Promise<void> {
  const node = connectBitcoinNode(endpointUrl);
  await fundWallet(node);
  const mine = (): void => {
    // A node that is being started again misses a block, and gets the next one.
    void node
      .mine(1, { script: walletKey.script })
      .catch(() => undefined)
      .finally(schedule);
  };
  const schedule = (): void => void setTimeout(mine, BLOCK_INTERVAL_MS).unref();
  schedule();
}
