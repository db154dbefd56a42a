// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BlockRef } from '@chainwatch/chain-core';
import { verifyExtraData } from './atomic-changes.ts';
import { findStateSync } from './bor-state-sync.ts';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { data, encodeRlp, InvalidHexError, quantity } from './encode-rlp.ts';
import { traitsAt, type EvmTraits } from './networks.ts';
import { hasWithdrawalsRoot, verifyHeaderOf } from './parse-header.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import { UnknownParts, type UnknownContent } from './unknown-parts.ts';
import { splitSystem, type SystemTransaction } from './system-transactions.ts';
import type { Stack } from './types-of-stack.ts';
import { isAsynchronous } from './settlement/settlement-header.ts';
import { encodeReceipts, verifyReceiptBlooms, verifyReceipts } from './verify-receipts.ts';
import { verifyTransactions, type RawEncodings } from './verify-transactions.ts';
import { computeCreatedContract, typeOf } from './encode-transaction.ts';

/** A block whose parts were proved; `receipts[i]` belongs to `transactions[i]`, Bor's additions are apart. */
export interface VerifiedBlock {
  readonly block: RawBlock;
  readonly transactions: readonly RawTransaction[];
  readonly receipts: readonly RawReceipt[];
  /** Polygon's state-sync receipt, which no root covers. */
  readonly stateSync?: RawReceipt;
  /** What HyperEVM's system made, which no root covers; absent where its node does not show it. */
  readonly system?: readonly SystemTransaction[];
  /** Encodings of the receipts, where a later header proves them; absent where the block's own header did. */
  readonly settling?: readonly Uint8Array[];
  /** The node's raw encodings, by hash, which the root proves; of types that are decoded from them. */
  readonly encodings?: RawEncodings;
  /** Absent where everything is known. */
  readonly unknown?: UnknownContent;
}

/** What a node told about a block. */
export interface BlockAnswers {
  readonly block: RawBlock;
  readonly receipts: readonly RawReceipt[];
  readonly encodings?: RawEncodings;
}

/**
 * Proves that what a node returned is the whole block `ref`: its hash, every transaction, every receipt with every log
 * (architecture.md, invariants 6 and 12; docs/adr/0003-evm-completeness.md). Unknown parts are reported in
 * `unknown`; the rest is proved as far as possible without them. Receipts that a later header proves are given in
 * `settling`.
 * @throws IncompleteBlockError saying what was expected and what came
 */
export async function verifyBlock(
  ref: BlockRef,
  { block, receipts, encodings = new Map() }: BlockAnswers,
  ofNetwork: EvmTraits,
): Promise<VerifiedBlock> {
  const traits = traitsAt(ofNetwork, ref.number);
  const ofHeader = verifyHeaderOf(ref, block, traits);
  const parts = new UnknownParts(ofHeader);
  const { transactions, receipts: own, stateSync, system = [] } = splitUncovered(block, receipts, traits);
  try {
    const { unknown, missing } = await verifyTransactions(block, transactions, {
      traits,
      encodings,
      parts,
    });
    verifyReceiptLinks(block, { transactions, receipts: own, traits, before: system.length });
    const settling = isAsynchronous(block, traits)
      ? encodeSettling(block, { transactions, receipts: own, stack: traits.stack })
      : undefined;
    const areReceiptsProved =
      settling !== undefined ||
      (await verifyReceipts({ block, transactions, receipts: own, unknown }, traits, parts));
    await verifyWithdrawals(block, traits);
    verifyExtraData(block, traits, parts);
    const content: UnknownContent = {
      parts: parts.list,
      transactions: unknown,
      isEverything: ofHeader.length > 0 || missing.length > 0 || !areReceiptsProved,
      missingEncodings: missing,
    };
    return {
      block,
      transactions,
      receipts: own,
      stateSync,
      ...(system.length > 0 && { system }),
      settling,
      encodings,
      ...(content.parts.length > 0 && { unknown: content }),
    };
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error;
    throw new IncompleteBlockError(`block ${block.hash}: ${error.message}`, { cause: error });
  }
}

/** Parts what no root covers from what the roots cover. */
function splitUncovered(
  block: RawBlock,
  receipts: readonly RawReceipt[],
  { stack }: EvmTraits,
): Pick<VerifiedBlock, 'transactions' | 'receipts' | 'stateSync' | 'system'> {
  if (stack === 'hyperevm') return splitSystem(block, receipts);
  const stateSync = stack === 'bor' ? findStateSync(receipts, block) : undefined;
  if (stateSync === undefined) return { transactions: block.transactions, receipts };
  return {
    transactions: block.transactions.filter((tx) => tx.hash !== stateSync.transactionHash),
    receipts: receipts.filter((receipt) => receipt !== stateSync),
    stateSync,
  };
}

/** Checks what can be checked before the header that settles the block is there. */
function encodeSettling(
  block: RawBlock,
  {
    transactions,
    receipts,
    stack,
  }: {
    readonly transactions: readonly RawTransaction[];
    readonly receipts: readonly RawReceipt[];
    readonly stack: Stack;
  },
): readonly Uint8Array[] {
  verifyReceiptBlooms(block, receipts);
  verifyPrices(block, transactions, receipts);
  return encodeReceipts({ transactions, receipts }, stack);
}

async function verifyWithdrawals(block: RawBlock, traits: EvmTraits): Promise<void> {
  if (!hasWithdrawalsRoot(block, traits)) return;
  const withdrawals = block.withdrawals ?? [];
  const root = computeOrderedRoot(
    withdrawals.map(({ index, validatorIndex, address, amount }) =>
      encodeRlp([quantity(index), quantity(validatorIndex), data(address), quantity(amount)]),
    ),
  );
  if (root !== block.withdrawalsRoot)
    fail(block, {
      what: 'withdrawalsRoot',
      expected: block.withdrawalsRoot ?? '',
      got: `${root} from ${withdrawals.length} withdrawals`,
    });
}

function fail(
  block: RawBlock,
  { what, expected, got }: { readonly what: string; readonly expected: string; readonly got: string },
): never {
  throw new IncompleteBlockError(
    `${what} of block ${Number(block.number)} ${block.hash}: expected ${expected}, got ${got}`,
  );
}

/**
 * Proves what no root covers: that there is one receipt per transaction, that each names its transaction and
 * block, that its own gas is the difference of the cumulative ones, and that it names the contract that its
 * transaction creates.
 * @throws IncompleteBlockError
 */
function verifyReceiptLinks(
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
function verifyPrices(
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
