// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Transaction } from './block.ts';
import type { ChainClient } from './chain-family.ts';

/**
 * The proof asks no node, so every client comes to the same result and one is enough. When it fails, every
 * client is told, for any of them may have given the block.
 */
export async function proveSendersOf(
  clients: readonly ChainClient[],
  {
    ref,
    transactions,
    signal,
  }: { readonly ref: BlockRef; readonly transactions: readonly Transaction[]; readonly signal?: AbortSignal },
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
