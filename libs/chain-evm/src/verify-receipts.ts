// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { typeOf } from './encode-transaction.ts';
import type { EvmTraits } from './networks.ts';
import { LOG_MEMBERS, receiptMembers } from './known-members.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import { rulesOf, type Stack } from './types-of-stack.ts';
import { describeMember, listUnknownMembers, type UnknownParts } from './unknown-parts.ts';
import type { Hex } from 'viem';
import { data, encodeRlp, quantity } from './encode-rlp.ts';

export interface ReceiptsOf {
  readonly block: RawBlock;
  readonly transactions: readonly RawTransaction[];
  readonly receipts: readonly RawReceipt[];
  /** Hashes of transactions that are not known. */
  readonly unknown: ReadonlySet<string>;
}

/**
 * Proves that a block's receipts are those of `receiptsRoot`.
 * @returns false where they have unknown parts: only their blooms are checked then, the rest is the node's
 * word
 * @throws IncompleteBlockError, InvalidHexError
 */
export async function verifyReceipts(
  of: ReceiptsOf,
  traits: EvmTraits,
  parts: UnknownParts,
): Promise<boolean> {
  const { block, receipts } = of;
  const root = computeOrderedRoot(encodeReceipts(of, traits.stack));
  if (root === block.receiptsRoot) return true;
  if (traits.roots === 'tolerant') {
    verifyBlooms(block, receipts);
    return true;
  }
  const expected = `receipts with the root ${block.receiptsRoot}`;
  if (!addReceiptParts(of, { expected, stack: traits.stack }, parts)) {
    fail(block, {
      what: 'receiptsRoot',
      expected: block.receiptsRoot,
      got: `${root} from ${receipts.length} receipts`,
    });
  }
  verifyBlooms(block, receipts);
  return false;
}

/** The values of the trie under `receiptsRoot`, in order. @throws InvalidHexError */
export function encodeReceipts(
  { transactions, receipts }: Pick<ReceiptsOf, 'transactions' | 'receipts'>,
  stack: Stack,
): Uint8Array[] {
  return receipts.map((receipt, index) =>
    encodeReceipt(receipt, transactions[index] ?? ({} as RawTransaction), stack),
  );
}

/**
 * Names what may be encoded in a way that is not known.
 * @param of.expected for the parts: what the receipts should come to
 * @returns whether there is anything
 */
export function addReceiptParts(
  { transactions, receipts, unknown }: Omit<ReceiptsOf, 'block'>,
  { expected, stack }: { readonly expected: string; readonly stack: Stack },
  parts: UnknownParts,
): boolean {
  let isFound = false;
  const add = (
    what: string,
    {
      name,
      transactionHash,
      got,
    }: { readonly name: string; readonly transactionHash: string; readonly got: string },
  ): void => {
    isFound = true;
    parts.add(what, name, { transactionHash, expected, got });
  };
  receipts.forEach((receipt, index) => {
    const hash = receipt.transactionHash;
    const tx = transactions[index];
    for (const name of listUnknownMembers(receipt, receiptMembers))
      add('receipt-field', { name, transactionHash: hash, got: describeMember(receipt, name) });
    for (const log of receipt.logs)
      for (const name of listUnknownMembers(log, LOG_MEMBERS))
        add('log-field', { name, transactionHash: hash, got: describeMember(log, name) });
    if (tx === undefined || !(unknown.has(tx.hash) || lacksTail(receipt, tx, stack))) return;
    const type = `0x${typeOf(tx).toString(16)}`;
    add('receipt-encoding', {
      name: type,
      transactionHash: hash,
      got: `one of a transaction of type ${type} with ${Object.keys(receipt).join(', ')}`,
    });
  });
  return isFound;
}

/** Whether the encoding of a receipt holds something that this node does not tell. */
function lacksTail(receipt: RawReceipt, tx: RawTransaction, stack: Stack): boolean {
  const rules = rulesOf(typeOf(tx), stack);
  return rules?.receiptTail !== undefined && rules.receiptTail(receipt, tx) === undefined;
}

/**
 * Weaker than the root, so both the block's bloom and each receipt's are compared: a log whose bits others
 * also set shows in its own receipt's bloom only.
 */
function verifyBlooms(block: RawBlock, receipts: readonly RawReceipt[]): void {
  verifyReceiptBlooms(block, receipts);
  const bloom = computeLogsBloom(receipts);
  if (bloom !== block.logsBloom) fail(block, { what: 'logsBloom', expected: block.logsBloom, got: bloom });
}

/** Compares the bloom of each receipt with its logs. @throws IncompleteBlockError */
export function verifyReceiptBlooms(block: RawBlock, receipts: readonly RawReceipt[]): void {
  for (const receipt of receipts) {
    if (typeof receipt.logsBloom !== 'string' || receipt.logsBloom.length <= 2) continue;
    const own = computeLogsBloom([receipt]);
    if (own !== receipt.logsBloom)
      fail(block, {
        what: `logsBloom of receipt ${Number(receipt.transactionIndex)}`,
        expected: receipt.logsBloom,
        got: own,
      });
  }
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
 * The encoding of a receipt under `receiptsRoot` (EIP-658, EIP-2718), with what the transaction's type adds on its stack.
 * @throws InvalidHexError
 */
export function encodeReceipt(receipt: RawReceipt, tx: RawTransaction, stack: Stack): Uint8Array {
  const type = typeOf(tx);
  return encodeRlp(
    [
      typeof receipt.status === 'string' ? quantity(receipt.status) : data(receipt.root),
      quantity(receipt.cumulativeGasUsed),
      bloomOf(receipt),
      receipt.logs.map(({ address, topics, data: content }) => [
        data(address),
        topics.map(data),
        data(content),
      ]),
      ...(rulesOf(type, stack)?.receiptTail?.(receipt, tx) ?? []),
    ],
    type,
  );
}

/** The root proves the node's bloom, so it need not be computed. Some nodes leave it out. */
function bloomOf(receipt: RawReceipt): Hex {
  const { logs, logsBloom } = receipt;
  return logs.length > 0 && typeof logsBloom === 'string' && logsBloom.length > 2
    ? data(logsBloom)
    : data(computeLogsBloom([receipt]));
}
