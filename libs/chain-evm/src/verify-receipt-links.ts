// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { computeCreatedContract, typeOf } from './encode-transaction.ts';
import type { EvmTraits } from './networks.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import type { Stack } from './types-of-stack.ts';

/**
 * Proves what no root covers: that there is one receipt per transaction, that each names its transaction and
 * block, that its own gas is the difference of the cumulative ones, and that it names the contract that its
 * transaction creates.
 * @throws IncompleteBlockError
 */
export function verifyReceiptLinks(
  block: RawBlock,
  {
    transactions,
    receipts,
    traits,
    before = 0,
  }: {
    readonly transactions: readonly RawTransaction[];
    readonly receipts: readonly RawReceipt[];
    readonly traits: EvmTraits;
    /** Transactions of the block before these, which no root covers. */
    readonly before?: number;
  },
): void {
  if (receipts.length !== transactions.length) {
    throw new IncompleteBlockError(
      `receipts of block ${Number(block.number)} ${block.hash}: expected ${transactions.length}, got ${receipts.length}`,
    );
  }
  let gasUsed = 0;
  for (let index = 0; index < receipts.length; index++) {
    const receipt = receipts[index];
    const tx = transactions[index];
    if (receipt === undefined || tx === undefined) continue;
    const at = { block, index };
    expectEqual(at, { what: 'transactionHash', expected: tx.hash, got: receipt.transactionHash });
    expectEqual(at, { what: 'blockHash', expected: block.hash, got: receipt.blockHash });
    expectEqual(at, {
      what: 'transactionIndex',
      expected: before + index,
      got: Number(receipt.transactionIndex),
    });
    if (typeof receipt.from === 'string' && typeof tx.from === 'string') {
      expectEqual(at, { what: 'from', expected: tx.from.toLowerCase(), got: receipt.from.toLowerCase() });
    }
    if (traits.roots === 'strict') verifyCreatedContract(at, tx, { receipt, stack: traits.stack });
    const cumulative = Number(receipt.cumulativeGasUsed);
    const step = gasUsed + Number(receipt.gasUsed);
    if (traits.roots === 'strict')
      expectEqual(at, { what: 'cumulativeGasUsed', expected: step, got: cumulative });
    else if (!(cumulative >= gasUsed))
      expectEqual(at, { what: 'cumulativeGasUsed', expected: `at least ${gasUsed}`, got: cumulative });
    gasUsed = cumulative;
  }
}

/**
 * Bounds the price of gas by what the transaction bids (EIP-1559), for blocks whose header tells no price that was paid:
 * the `baseFeePerGas` of an asynchronous block is the highest that it could have been (ACP-194), and nodes compute a
 * transaction's own `gasPrice` from it. So the receipt has to tell the price.
 * @throws IncompleteBlockError
 */
export function verifyPrices(
  block: RawBlock,
  transactions: readonly RawTransaction[],
  receipts: readonly RawReceipt[],
): void {
  for (const [index, { effectiveGasPrice }] of receipts.entries()) {
    const tx = transactions[index];
    const type = typeOf(tx ?? {});
    const bid = type <= 1 ? tx?.gasPrice : tx?.maxFeePerGas;
    if (type > 4 || typeof bid !== 'string') continue;
    if (typeof effectiveGasPrice === 'string' && BigInt(effectiveGasPrice) <= BigInt(bid)) continue;
    expectEqual(
      { block, index },
      {
        what: 'effectiveGasPrice',
        expected: `at most ${BigInt(bid)}`,
        got: typeof effectiveGasPrice === 'string' ? String(BigInt(effectiveGasPrice)) : 'none',
      },
    );
  }
}

interface Place {
  readonly block: RawBlock;
  readonly index: number;
}

function verifyCreatedContract(
  at: Place,
  tx: RawTransaction,
  { receipt, stack }: { readonly receipt: RawReceipt; readonly stack: Stack },
): void {
  const created = computeCreatedContract(tx, receipt, stack);
  if (created === undefined || receipt.contractAddress === null || receipt.contractAddress === undefined)
    return;
  expectEqual(at, { what: 'contractAddress', expected: created, got: receipt.contractAddress });
}

function expectEqual(
  { block, index }: Place,
  {
    what,
    expected,
    got,
  }: { readonly what: string; readonly expected: string | number; readonly got: string | number },
): void {
  if (expected === got) return;
  throw new IncompleteBlockError(
    `${what} of receipt ${index} in block ${Number(block.number)} ${block.hash}: expected ${expected}, got ${got}`,
  );
}
