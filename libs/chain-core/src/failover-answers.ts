// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, Transaction } from './block.ts';
import type { BlocksOfAddresses, ChainClient, NodeUpgrade } from './chain-family.ts';
import { ChainClientError, ChainError } from './errors.ts';
import type { Upgrade } from './upgrade.ts';

/**
 * All blocks that any of several lists names, as far as every one of them reaches.
 * @throws ChainClientError when two name different blocks at one height
 */
export function joinLists(lists: readonly BlocksOfAddresses[]): BlocksOfAddresses {
  const toBlock = Math.min(...lists.map((list) => list.toBlock));
  const refs = new Map<number, BlockRef>();
  const accounts = new Map<string, Set<string>>();
  for (const list of lists) {
    for (const ref of list.refs) {
      const known = refs.get(ref.number) ?? ref;
      if (known.hash !== ref.hash)
        throw new ChainClientError(
          `blocks of addresses: expected ${known.hash} at ${ref.number} from every endpoint, got ${ref.hash}`,
        );
      if (ref.number <= toBlock) refs.set(ref.number, ref);
    }
    for (const [address, own] of list.accounts ?? [])
      accounts.set(address, new Set([...(accounts.get(address) ?? []), ...own]));
  }
  return {
    refs: [...refs.values()].sort((a, b) => a.number - b.number),
    toBlock,
    accounts: new Map([...accounts].map(([address, own]) => [address, [...own]])),
    isListed: true,
  };
}

/**
 * Errors that another endpoint may not have. After `wrong_chain` the same endpoint is not retried, but the
 * next one is asked.
 */
export function mayDiffer(error: unknown): error is ChainError {
  return error instanceof ChainError && (error.retryable || error.code === 'wrong_chain');
}

/**
 * The error to report when every endpoint failed: an incomplete block tells more than a refused connection.
 */
export function moreTelling(first: Error | undefined, second: ChainError): Error {
  if (first === undefined) return second;
  const rank = (error: Error): number => (error instanceof ChainError ? TELLING.indexOf(error.code) : -1);
  return rank(second) > rank(first) ? second : first;
}

/** Where one endpoint has the block, with something unknown in it, the gaps of another endpoint's answer say nothing. */
const TELLING = ['node_error', 'wrong_chain', 'block_not_found', 'incomplete_block', 'unknown_content'];

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

/** What the first endpoint that can tell says of upgrades. One that cannot is no worse for it. */
export async function findNewUpgradesAt(
  clients: readonly ChainClient[],
  known: readonly Upgrade[],
  signal?: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  for (const client of clients) {
    if (client.findNewUpgrades === undefined) continue;
    try {
      await client.verifyChain(signal);
      const found = await client.findNewUpgrades(known, signal);
      if (found !== undefined) return found;
    } catch (error) {
      if (signal?.aborted === true) throw error;
    }
  }
  return undefined;
}
