// SPDX-License-Identifier: Apache-2.0
import type { Network, Transaction, Transfer } from '@chainwatch/chain-core';
import { decodeFee, withDoubt } from './decode-fee.ts';
import { decodeEtherLogs, decodeLogs, decodeMirrorMoves, mergeMoves } from './decode-logs.ts';
import { computeCreatedContract, typeOf } from './encode-transaction.ts';
import { readTraits, traitsAt } from './networks.ts';
import { readSignature } from './prove-senders.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import type { InternalTransfer, TransactionTrace } from './read-traces.ts';
import { findTokenFee } from './token-fee.ts';
import { rulesOf } from './types-of-stack.ts';

export interface TransactionParts {
  readonly network: Network;
  /** Of the block. */
  readonly number: number;
  readonly tx: RawTransaction;
  readonly receipt: RawReceipt;
  readonly index: number;
  /** Index in the block of the transaction's first log. */
  readonly logIndex: number;
  readonly trace?: TransactionTrace;
  /** Of the block. */
  readonly baseFeePerGas: string | null | undefined;
}

/** One transaction of a proved block. */
export function decodeTransaction(parts: TransactionParts): Transaction {
  const { network, tx, receipt, index, trace } = parts;
  const { stack } = readTraits(network);
  const from = rulesOf(typeOf(tx), stack)?.isSystem?.(tx) === true ? undefined : tx.from.toLowerCase();
  // Before Byzantium receipts carry no status; the trace knows.
  const isFailed =
    typeof receipt.status === 'string' ? Number(receipt.status) === 0 : trace?.isFailed === true;
  const isCreation = tx.to === null || tx.to === undefined;
  const signature = readSignature(tx, traitsAt(readTraits(network), parts.number));
  const createdContract = isCreation && !isFailed ? computeCreatedContract(tx, receipt, stack) : undefined;
  const tokenFee = findTokenFee(network, tx, receipt);
  return {
    hash: tx.hash,
    index,
    isFailed,
    from,
    to: isCreation ? undefined : tx.to.toLowerCase(),
    createdContract,
    fee:
      from === undefined
        ? undefined
        : tokenFee === undefined
          ? withDoubt(parts, decodeFee(network, { tx, receipt }))
          : tokenFee.fee,
    signature,
    transfers: isFailed
      ? []
      : decodeTransfers(tokenFee === undefined ? parts : { ...parts, receipt: tokenFee.receipt }, {
          from: tx.from.toLowerCase(),
          to: tx.to?.toLowerCase() ?? createdContract,
          amountRaw: BigInt(tx.value),
        }),
  };
}

/**
 * Decodes a transaction of an unknown type, as far as its fields mean the same in every type. That leaves out
 * who pays its fee. What its logs tell is proved if the block is; nothing proves the rest.
 */
export function decodeUnknown(parts: TransactionParts): Transaction {
  const { receipt, index, trace } = parts;
  const { hash, from, to, value }: Partial<RawTransaction> = parts.tx;
  const isFailed =
    typeof receipt.status === 'string' ? Number(receipt.status) === 0 : trace?.isFailed === true;
  const own =
    typeof from === 'string' && typeof to === 'string' && typeof value === 'string'
      ? { from, to, amountRaw: BigInt(value) }
      : undefined;
  return {
    hash: hash ?? receipt.transactionHash,
    index,
    isFailed,
    ...(typeof from === 'string' && { from }),
    ...(typeof to === 'string' && { to }),
    transfers: isFailed ? [] : decodeTransfers(parts, own),
    verification: 'unproved',
  };
}

/** The payment by the transaction itself, without internal transfers. */
interface OwnTransfer {
  readonly from: string;
  readonly to?: string;
  readonly amountRaw: bigint;
}

/** @param others payments that the caller tells itself, and logs of the coin (EIP-7708) tell again */
export function decodeTransfers(
  { network, receipt, logIndex, trace }: Pick<TransactionParts, 'network' | 'receipt' | 'logIndex' | 'trace'>,
  own: OwnTransfer | undefined,
  others: readonly OwnTransfer[] = [],
): Transfer[] {
  const transfers: Transfer[] = [];
  const assetGid = network.native?.gid;
  if (assetGid !== undefined && own !== undefined && own.amountRaw > 0n)
    transfers.push({ index: 0, type: 'native', assetGid, ...own });
  decodeLogs(network, { logs: receipt.logs, logIndex, transfers });
  // Without a native coin, value is no money.
  if (assetGid === undefined) return transfers;
  const told = own === undefined ? others : [own, ...others];
  const logged = told.reduce(withoutOwn, decodeEtherLogs(network, receipt.logs));
  const alone = decodeMirrorMoves(network, receipt.logs);
  const moves = [...alone, ...mergeMoves(logged, trace?.transfers ?? [])];
  for (const [position, move] of moves.entries()) {
    transfers.push({
      index: transfers.length,
      type: 'internal',
      assetGid,
      ...move,
      // No root covers what a trace alone tells.
      ...(position >= alone.length + logged.length && { isAttested: true }),
    });
  }
  return transfers;
}

/** Removes the transaction's own payment, which is logged like any other (EIP-7708). */
function withoutOwn(moves: readonly InternalTransfer[], own: OwnTransfer): readonly InternalTransfer[] {
  const at = moves.findIndex(
    ({ from, to, amountRaw }) => from === own.from && to === own.to && amountRaw === own.amountRaw,
  );
  return at < 0 ? moves : moves.toSpliced(at, 1);
}
