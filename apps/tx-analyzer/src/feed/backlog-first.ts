import type { ChainClient } from '@chainwatch/chain-core';
import type { BacklogReader } from '../model/analyzer-deps.ts';

/**
 * Who reads one block of a backlog: another thread where there is one; what fails there is read again by the client. Not asked
 * after a failed step: the threads have not heard which endpoint told a wrong sender.
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
