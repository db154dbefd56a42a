import type { BlockRef, Transaction } from './block.ts';
import type { ChainClient } from './chain-family.ts';

/** One says what all would say; when it says no, every one is told, for any of them may have given the block. */
export async function proveSendersOf(
  clients: readonly ChainClient[],
  ref: BlockRef,
  transactions: readonly Transaction[],
  signal?: AbortSignal,
): Promise<void> {
  const [first, ...others] = clients;
  try {
    await first?.proveSenders?.(ref, transactions, signal);
  } catch (error) {
    if (signal?.aborted !== true)
      await Promise.allSettled(
        others.map(async (client) => client.proveSenders?.(ref, transactions, signal)),
      );
    throw error;
  }
}
