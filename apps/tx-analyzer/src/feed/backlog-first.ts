import type { ChainClient } from '@chainwatch/chain-core';
import type { BacklogReader } from '../model/analyzer-deps.ts';

/**
 * Chooses the reader for a block of a backlog: first another thread, where there is one; after a failure there, the
 * client. Threads are not used after a failed step: they have not heard which endpoint gave a wrong sender.
 */
export function backlogFirst(
  client: ChainClient,
  backlog: BacklogReader | undefined,
): () => Pick<ChainClient, 'readBlock'> {
  let isFirst = true;
  return () => {
    const reader = isFirst ? backlog : undefined;
    isFirst = false;
    return reader ?? client;
  };
}
