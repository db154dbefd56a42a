// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { isUnsupported } from '../classify-node-error.ts';
import { parseRawReceipts } from '../parse-raw-block.ts';
import type { RawBlock, RawReceipt } from '../raw-block.ts';
import type { RpcTransport } from '../rpc-transport.ts';

/** A block as the node told it; the members of its transactions are not checked. */
export interface SampleBlock {
  readonly number: number;
  readonly hash: string;
  /** Read anew for each stack, because a stack says how it is parsed. */
  readonly json: string;
  readonly receipts: readonly RawReceipt[];
}

export interface Sample {
  readonly blocks: readonly SampleBlock[];
  /** Whether eth_getBlockReceipts is there. */
  readonly hasBlockReceipts: boolean;
}

const BLOCKS = 50;
/** Receipts that are asked for one by one are as many at most. */
const SINGLE_RECEIPTS_MAX = 2_000;

/** The last 50 blocks with their receipts, oldest first. @throws ChainClientError */
export async function readSample(
  transport: RpcTransport,
  { head, signal }: { readonly head: number; readonly signal?: AbortSignal | undefined },
): Promise<Sample> {
  const blocks: SampleBlock[] = [];
  let hasBlockReceipts = true;
  let singles = 0;
  for (let number = Math.max(head - BLOCKS + 1, 0); number <= head; number += 1) {
    const hex = `0x${number.toString(16)}`;
    const block = await transport.call('eth_getBlockByNumber', [hex, true], signal);
    if (typeof block !== 'object' || block === null)
      throw new ChainClientError(`eth_getBlockByNumber: expected block ${number}, got ${String(block)}`);
    const { hash, transactions } = block as Partial<RawBlock>;
    if (typeof hash !== 'string' || !Array.isArray(transactions))
      throw new ChainClientError(`eth_getBlockByNumber: expected block ${number} with its transactions`);
    let receipts: unknown;
    if (hasBlockReceipts)
      receipts = await transport.call('eth_getBlockReceipts', [hex], signal).catch((error: unknown) => {
        if (!isUnsupported(error)) throw error;
        hasBlockReceipts = false;
      });
    if (receipts === undefined) {
      singles += transactions.length;
      if (singles > SINGLE_RECEIPTS_MAX) break;
      receipts = await Promise.all(
        transactions.map((tx) => transport.call('eth_getTransactionReceipt', [tx.hash], signal)),
      );
    }
    blocks.push({
      number,
      hash,
      json: JSON.stringify(block),
      receipts: parseRawReceipts(receipts),
    });
  }
  return { blocks, hasBlockReceipts };
}
