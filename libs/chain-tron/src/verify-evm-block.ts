// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BlockRef } from '@chainwatch/chain-core';
import { verifyEvmHeader, toHash } from './evm-block.ts';
import type { EvmBlock, EvmReceipt } from './evm-types.ts';
import type { Capabilities } from './session.ts';
import type { VerifiedHeader } from './verify-header.ts';

/**
 * Proves as much of a block as the Ethereum-compatible interface allows: its id by its header, and that
 * transactions, receipts and logs are numbered without a gap and add up to the block's energy. The interface
 * does not show the bytes that the tree of transactions is made of; the wallet API does.
 * @throws IncompleteBlockError saying what was expected and what came
 */
export function verifyEvmBlock(
  ref: BlockRef,
  {
    block,
    receipts,
    capabilities,
  }: {
    readonly block: EvmBlock;
    readonly receipts: readonly EvmReceipt[];
    readonly capabilities: Capabilities;
  },
): VerifiedHeader {
  const { header, unknowns } = verifyEvmHeader(block, capabilities);
  const expect = (what: string, expected: string | number, got: string | number): void => {
    if (expected !== got)
      throw new IncompleteBlockError(
        `${what} of block ${ref.number} ${ref.hash}: expected ${expected}, got ${got}`,
      );
  };
  expect('hash', ref.hash, header.hash);
  expect('count of receipts', block.transactions.length, receipts.length);
  if (block.transactions.length === 0)
    expect('transactionsRoot without transactions', '0'.repeat(64), toHash(block.transactionsRoot));
  let energy = 0;
  let logIndex = 0;
  for (const [index, tx] of block.transactions.entries()) {
    const receipt = receipts[index]!;
    expect(`index of transaction ${tx.hash}`, index, Number(tx.transactionIndex));
    expect(`block of transaction ${tx.hash}`, block.hash, tx.blockHash);
    expect(`transaction of receipt ${index}`, tx.hash, receipt.transactionHash);
    expect(`block of receipt ${index}`, block.hash, receipt.blockHash);
    energy += Number(receipt.gasUsed);
    expect(`energy up to receipt ${index}`, energy, Number(receipt.cumulativeGasUsed));
    for (const log of receipt.logs) {
      if (log.logIndex !== undefined)
        expect(`index of a log of receipt ${index}`, logIndex, Number(log.logIndex));
      logIndex += 1;
    }
  }
  if (block.gasUsed !== undefined) expect('energy', energy, Number(block.gasUsed));
  return { header, unknowns };
}
