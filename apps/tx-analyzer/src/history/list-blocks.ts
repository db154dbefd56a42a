// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, type BlocksOfAddresses, type ChainClient } from '@chainwatch/chain-core';
import type { HistoryTurn } from './history-turn.ts';

/** Blocks of a turn, at most: then it is another job's turn. */
const PAGE_BLOCKS = 64;

/**
 * The next blocks of a turn: those that the node names for the addresses, where it can tell; else all of them.
 * @throws BlockNotFoundError when the node does not have them
 */
export async function listBlocks(
  client: ChainClient,
  { jobs, fromBlock, toBlock }: HistoryTurn,
  signal: AbortSignal,
): Promise<BlocksOfAddresses> {
  if (fromBlock > toBlock) return { refs: [], toBlock: fromBlock - 1 };
  const addresses = jobs.map(({ address }) => address);
  const accounts = new Map(jobs.map((job) => [job.address, job.accounts]));
  const found = await client.findBlocksOf?.({ addresses, accounts, fromBlock, toBlock }, signal);
  if (found !== undefined) return found;
  const last = Math.min(toBlock, fromBlock + PAGE_BLOCKS - 1);
  const headers = await client.readHeaders(fromBlock, last, signal);
  const first = headers[0];
  if (first === undefined) throw new BlockNotFoundError(`block ${fromBlock} is not known to the node`);
  const reached = headers.at(-1)!;
  return { refs: headers.map(({ number, hash }) => ({ number, hash })), toBlock: reached.number };
}
