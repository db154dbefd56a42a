// SPDX-License-Identifier: Apache-2.0
import type { BalanceChange, Block, Network, Transaction, UnknownPart } from '@chainwatch/chain-core';
import { decodeAtomicChanges } from './atomic-changes.ts';
import { BASE_TRANSACTION, decodeBaseTransaction } from './base-transaction.ts';
import { findTouchedAssets } from './decode-logs.ts';
import {
  decodeTransaction,
  decodeTransfers,
  decodeUnknown,
  type TransactionParts,
} from './decode-transaction.ts';
import { typeOf } from './encode-transaction.ts';
import { readTraits } from './networks.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import type { TransactionTrace } from './read-traces.ts';
import { findTokenFee, listFeeMentions, type TokenFee } from './token-fee.ts';
import { rulesOf } from './types-of-stack.ts';
import type { VerifiedBlock } from './verify-block.ts';
import { InvalidHexError } from './encode-rlp.ts';
import { keepReadable } from './parse-raw-block.ts';

const GWEI = 1_000_000_000n;

/**
 * Decodes a proved block. `traces[i]` belongs to transaction `i`; without traces only logged internal
 * transfers are known. What could not be read is named in `unknowns`.
 */
export function decodeBlock(
  network: Network,
  verified: VerifiedBlock,
  traces?: readonly (TransactionTrace | undefined)[],
): Block {
  const { block, transactions, unknown } = verified;
  const { decoded, unreadable, tokenFees } = decodeTransactions(network, verified, traces);
  const touched = findTouchedAssets(network, listReceipts(verified));
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    transactions: decoded,
    // What their senders signed is hashed when somebody asks who they are.
    byteLength: transactions.reduce((sum, { input }) => sum + (input?.length ?? 0), 0),
    balanceChanges: [
      ...decodeBalanceChanges(
        network,
        block,
        unknown === undefined
          ? transactions
          : transactions.filter(({ hash }) => !unknown.transactions.has(hash)),
      ),
      ...tokenFees.flatMap(({ earned }) => earned),
    ],
    ...touched,
    ...(tokenFees.length > 0 && { mentions: [...(touched.mentions ?? []), ...listFeeMentions(tokenFees)] }),
    ...(unreadable.length > 0 && { unknowns: unreadable }),
    ...(unknown?.isEverything === true && { verification: 'unproved' }),
  };
}

/** Every receipt of a block, also those that no root covers. */
function listReceipts({ receipts, stateSync, system = [] }: VerifiedBlock): readonly RawReceipt[] {
  return [
    ...receipts,
    ...system.map(({ receipt }) => receipt),
    ...(stateSync === undefined ? [] : [stateSync]),
  ];
}

interface DecodedTransactions {
  readonly decoded: readonly Transaction[];
  readonly unreadable: readonly UnknownPart[];
  readonly tokenFees: readonly TokenFee[];
}

function decodeTransactions(
  network: Network,
  verified: VerifiedBlock,
  traces: readonly (TransactionTrace | undefined)[] | undefined,
): DecodedTransactions {
  const { block, transactions, receipts, unknown, encodings } = verified;
  const { baseFeePerGas } = block;
  const number = Number(block.number);
  const decoded: Transaction[] = [];
  const unreadable: UnknownPart[] = [];
  const tokenFees: TokenFee[] = [];
  let logIndex = 0;
  for (let index = 0; index < transactions.length; index++) {
    const tx = transactions[index];
    const receipt = receipts[index];
    if (tx === undefined || receipt === undefined) continue;
    const parts = { network, number, tx, receipt, index, logIndex, trace: traces?.[index], baseFeePerGas };
    try {
      const isUnknown = unknown?.transactions.has(tx.hash) === true;
      decoded.push(
        isUnknown
          ? decodeUnknown(parts)
          : {
              ...decodeKnown(parts, encodings?.get(tx.hash)),
              ...(unknown?.isEverything === true && { verification: 'unproved' }),
            },
      );
      const paid = isUnknown ? undefined : findTokenFee(network, tx, receipt);
      if (paid !== undefined) tokenFees.push(paid);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const { transaction, part } = decodeUnreadable(parts, tx.hash, error);
      decoded.push(transaction);
      unreadable.push(part);
    }
    logIndex += receipt.logs.length;
  }
  for (const { tx, receipt } of listUncovered(verified)) {
    const index = decoded.length;
    decoded.push({
      ...decodeUncovered(network, { tx, receipt, index, logIndex }),
      // No root covers it.
      verification: unknown?.isEverything === true ? 'unproved' : 'attested',
    });
    logIndex += receipt.logs.length;
  }
  return { decoded, unreadable, tokenFees };
}

function decodeKnown(parts: TransactionParts, encoding: Uint8Array | undefined): Transaction {
  return typeOf(parts.tx) === BASE_TRANSACTION && encoding !== undefined
    ? decodeBaseTransaction(parts, encoding)
    : decodeTransaction(parts);
}

interface Uncovered {
  /** Absent of a state sync. */
  readonly tx?: RawTransaction;
  readonly receipt: RawReceipt;
}

function listUncovered({ stateSync, system = [] }: VerifiedBlock): readonly Uncovered[] {
  return stateSync === undefined ? system : [{ receipt: stateSync }];
}

/** What the chain itself made outside of its roots: behind all that they cover, so that this has the same places without it. */
function decodeUncovered(
  network: Network,
  { tx, receipt, index, logIndex }: Uncovered & { readonly index: number; readonly logIndex: number },
): Transaction {
  const isFailed = tx !== undefined && Number(receipt.status) === 0;
  const own =
    tx === undefined
      ? undefined
      : { from: tx.from.toLowerCase(), to: tx.to?.toLowerCase(), amountRaw: BigInt(tx.value) };
  const transfers = isFailed ? [] : decodeTransfers({ network, receipt, logIndex }, own);
  return {
    hash: receipt.transactionHash,
    index,
    isFailed,
    ...(own?.to !== undefined && { to: own.to }),
    transfers,
  };
}

/**
 * Balance changes outside of transactions, or without a transfer that shows them.
 *
 * @param transactions all, or those of other types than Ethereum's own
 */
function decodeBalanceChanges(
  network: Network,
  block: RawBlock,
  transactions: readonly RawTransaction[],
): BalanceChange[] {
  const assetGid = network.native?.gid;
  if (assetGid === undefined) return [];
  const changes: BalanceChange[] = [{ address: block.miner.toLowerCase(), assetGid, reason: 'reward' }];
  const { stack, withdrawalsAreNative } = readTraits(network);
  if (withdrawalsAreNative) {
    for (const { address, amount } of block.withdrawals ?? []) {
      changes.push({
        address: address.toLowerCase(),
        assetGid,
        amountRaw: BigInt(amount) * GWEI,
        reason: 'withdrawal',
      });
    }
  }
  for (const tx of transactions) {
    const rules = rulesOf(typeOf(tx), stack);
    const minted = rules?.minted?.(tx);
    if (typeof minted === 'string' && BigInt(minted) > 0n)
      changes.push({ address: tx.from.toLowerCase(), assetGid, amountRaw: BigInt(minted), reason: 'mint' });
    const changed = (rules?.changed?.(tx) ?? []).filter((account) => typeof account === 'string');
    for (const address of new Set(changed.map((account) => account.toLowerCase())))
      changes.push({ address, assetGid, reason: 'other' });
  }
  return [...changes, ...decodeAtomicChanges(network, block)];
}

/** A transaction of which not everything can be read. */
interface UnreadableTransaction {
  readonly transaction: Transaction;
  readonly part: UnknownPart;
}

/** Whether a value of an answer has a form that code of ours cannot handle; a contradiction is none of these. */
function isUnreadable(error: unknown): error is Error {
  return (
    error instanceof InvalidHexError ||
    error instanceof SyntaxError ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}

/**
 * A transaction that its block's root proves and that the node wrote in a way that cannot be read (`v: "0x"`): told as far
 * as it is understood, so that it alone waits for another endpoint and not its chain (docs/rules/unknown.md).
 *
 * @param hash that the root proves
 */
function decodeUnreadable(parts: TransactionParts, hash: string, error: Error): UnreadableTransaction {
  const { tx, receipt, index } = parts;
  const part = {
    kind: `transaction-form:0x${typeOf(tx).toString(16)}`,
    transactionHash: hash,
    expected: 'a transaction that can be read',
    got: error.message,
  };
  keepReadable(tx, receipt);
  try {
    return { transaction: { ...decodeUnknown(parts), hash }, part };
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    const isFailed = receipt.status === '0x0';
    return { transaction: { hash, index, isFailed, transfers: [], verification: 'unproved' }, part };
  }
}
