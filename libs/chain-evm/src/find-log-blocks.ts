// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { z } from 'zod';
import { isMissingBlock, isUnsupported } from './classify-node-error.ts';
import type { Session } from './session.ts';

interface Range {
  readonly fromBlock: number;
  readonly toBlock: number;
}

const logsSchema = z.array(
  z.object({ blockNumber: z.string().regex(/^0x[0-9a-f]+$/i), blockHash: z.string().min(1) }),
);
/** Where a transfer's log has its sender and its receiver. */
const POSITIONS = [1, 2];

/**
 * Hashes of the blocks of a range whose logs have one of the addresses, as topics, as sender or receiver, by number: the
 * node's word alone, which may leave out any. `''` where the
 * node refuses the logs of a single block, which must be read then. A range that is refused is halved. Undefined where
 * the node gives no logs at all, which is remembered.
 */
export async function findLogBlocks(
  session: Session,
  {
    topics: words,
    range,
    signal,
  }: { readonly topics: readonly string[]; readonly range: Range; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<number, string> | undefined> {
  const search = { session, signal, found: new Map<number, string>() };
  try {
    for (const position of POSITIONS)
      await collect({ ...search, topics: [...Array<null>(position).fill(null), words] }, range);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    session.capabilities.hasLogs = false;
    return undefined;
  }
  return search.found;
}

interface Search {
  readonly session: Session;
  readonly topics: readonly unknown[];
  readonly found: Map<number, string>;
  readonly signal: AbortSignal | undefined;
}

async function collect(search: Search, { fromBlock, toBlock }: Range): Promise<void> {
  const { session, topics, found, signal } = search;
  try {
    const filter = { fromBlock: toHex(fromBlock), toBlock: toHex(toBlock), topics };
    const parsed = logsSchema.safeParse(await session.transport.call('eth_getLogs', [filter], signal));
    if (!parsed.success)
      throw new ChainClientError('eth_getLogs: expected logs with the numbers and hashes of their blocks');
    for (const { blockNumber, blockHash } of parsed.data)
      found.set(Number(blockNumber), blockHash.toLowerCase());
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (fromBlock === toBlock) return void found.set(fromBlock, '');
    const middle = (fromBlock + toBlock) >> 1;
    await collect(search, { fromBlock, toBlock: middle });
    await collect(search, { fromBlock: middle + 1, toBlock });
  }
}

/** The range has too many blocks or logs for this node, in whatever words. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  const isHttp = error.nodeCode === 429 || (error.nodeCode >= 500 && error.nodeCode < 600);
  return !isHttp && !isUnsupported(error) && !isMissingBlock(error);
}

const toHex = (number: number): string => `0x${number.toString(16)}`;
