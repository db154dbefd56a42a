// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, WrongChainError } from '@chainwatch/chain-core';
import { isMissingBlock } from './classify-node-error.ts';
import { parseHash } from './read-headers.ts';
import type { Session } from './session.ts';

/**
 * Asks the node for the blocks by which its chain is told: chains that split share every block up to the split.
 * @throws WrongChainError when it has another block at one of these heights, ChainClientError when it has none there yet
 */
export async function verifyIdentity(session: Session, signal?: AbortSignal): Promise<void> {
  const { network, traits } = session;
  for (const { height, hash } of traits.identity) {
    const got = await readHash(session, height, signal);
    if (got !== hash)
      throw new WrongChainError(
        `node serves another chain: expected block ${height} of ${network.gid} to be ${hash}, got ${got}`,
      );
  }
}

async function readHash({ rpc, network }: Session, height: number, signal?: AbortSignal): Promise<string> {
  try {
    return parseHash('getblockhash', await rpc.call('getblockhash', [height], { signal }));
  } catch (error) {
    if (height === 0 || !isMissingBlock(error)) throw error;
    throw new ChainClientError(
      `node has no block ${height} yet: expected the one that tells ${network.gid} from other chains`,
      { cause: error },
    );
  }
}
