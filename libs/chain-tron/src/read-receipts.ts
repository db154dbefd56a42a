// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  IncompleteBlockError,
  unwrap,
  type BlockRef,
} from '@chainwatch/chain-core';
import type { EvmReceipt } from './evm-types.ts';
import { expectReceipt } from './expect-evm-spelling.ts';
import type { EvmSession } from './read-evm-headers.ts';

/** Java-tron has `eth_getBlockReceipts` from 4.8.1 on. */
const UNKNOWN_METHOD_CODES = new Set([-32601, -32600, 403, 404, 405]);

/**
 * All receipts of a block in one call, where the node has it; else one for each transaction of `body`.
 * `verifyEvmBlock` checks that they are complete and of this block.
 */
export async function readReceipts(
  session: EvmSession,
  {
    ref,
    body,
    signal,
  }: {
    readonly ref: BlockRef;
    readonly body: () => Promise<{ readonly transactions: readonly { readonly hash: string }[] }>;
    readonly signal?: AbortSignal;
  },
): Promise<readonly EvmReceipt[]> {
  const { evm, capabilities } = session;
  if (capabilities.hasBlockReceipts) {
    try {
      const result = await evm.call('eth_getBlockReceipts', [`0x${ref.hash}`], signal);
      if (result === null)
        throw new BlockNotFoundError(`receipts of block ${ref.number} ${ref.hash} are not known to the node`);
      return toReceipts(result);
    } catch (error) {
      if (
        !(error instanceof ChainClientError) ||
        error.nodeCode === undefined ||
        !UNKNOWN_METHOD_CODES.has(error.nodeCode)
      )
        throw error;
      capabilities.hasBlockReceipts = false;
    }
  }
  const { transactions } = await body();
  const answers = await evm.callMany(
    transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    signal,
  );
  const results = answers.map(unwrap);
  const missing = results.indexOf(null);
  if (missing >= 0)
    throw new IncompleteBlockError(
      `receipts of block ${ref.number} ${ref.hash}: expected one of transaction ${transactions[missing]?.hash ?? ''}, got null`,
    );
  return toReceipts(results);
}

function toReceipts(json: unknown): readonly EvmReceipt[] {
  if (!Array.isArray(json)) throw new ChainClientError(`expected a list of receipts, got ${typeof json}`);
  for (const receipt of json as (Partial<EvmReceipt> | null)[]) {
    if (
      typeof receipt?.transactionHash !== 'string' ||
      typeof receipt.gasUsed !== 'string' ||
      !Array.isArray(receipt.logs)
    )
      throw new ChainClientError('expected whole receipts, got one without its fields');
  }
  for (const receipt of json as EvmReceipt[]) expectReceipt(receipt);
  return json as EvmReceipt[];
}
