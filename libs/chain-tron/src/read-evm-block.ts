// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  settleUnknowns,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
} from '@chainwatch/chain-core';
import { decodeEvmBlock } from './decode-evm-block.ts';
import { findUnknownTypes, toEvmBlock } from './evm-block.ts';
import type { EvmBlock } from './evm-types.ts';
import { isMissingBlock, type EvmSession } from './read-evm-headers.ts';
import { findTransfers } from './read-kinds.ts';
import { readReceipts } from './read-receipts.ts';
import { verifyEvmBlock } from './verify-evm-block.ts';

/** A block by the Ethereum-compatible interface alone. */
export async function readEvmBlock(
  session: EvmSession,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const body = readBody(session, ref, signal);
  const [block, receipts] = await Promise.all([
    body,
    readReceipts(session, { ref, body: () => body, signal }),
  ]);
  const { header, unknowns } = verifyEvmBlock(ref, { block, receipts, capabilities: session.capabilities });
  const parts = {
    block,
    receipts,
    isUnproved: unknowns.length > 0,
    transfers: await findTransfers(session, { ref, block, signal }),
  };
  return settleUnknowns(
    decodeEvmBlock(session.network, header, parts),
    [...unknowns, ...findUnknownTypes(block)],
    options,
  );
}

async function readBody({ evm }: EvmSession, ref: BlockRef, signal?: AbortSignal): Promise<EvmBlock> {
  try {
    const result = await evm.call('eth_getBlockByHash', [`0x${ref.hash}`, true], signal);
    if (result !== null) return toEvmBlock(result);
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
  }
  throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
}
