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
import { decodeUnreadable, isUnreadable } from './decode-unreadable.ts';
import { typeOf } from './encode-transaction.ts';
import { readTraits } from './networks.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import type { TransactionTrace } from './read-traces.ts';
import type { VerifiedBlock } from './verify-block.ts';

const GWEI = 1_000_000_000n;

/**
 * Decodes a proved block. `traces[i]` belongs to transaction `i`; without traces only logged internal
 * transfers are known. What could not be read is named in `unknowns`.
 */
export function decodeBlock(
  network: Network,
  verified: VerifiedBlock,
  traces?: readonly TransactionTrace[],
): Block {
  const { block, transactions, receipts, stateSync, unknown } = verified;
  const { decoded, unreadable } = decodeTransactions(network, verified, traces);
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    transactions: decoded,
    // What their senders signed is hashed when somebody asks who they are.
    byteLength: transactions.reduce((sum, { input }) => sum + (input?.length ?? 0), 0),
    balanceChanges: decodeBalanceChanges(
      network,
      block,
      unknown === undefined
        ? transactions
        : transactions.filter(({ hash }) => !unknown.transactions.has(hash)),
    ),
    ...findTouchedAssets(network, stateSync === undefined ? receipts : [...receipts, stateSync]),
    ...(unreadable.length > 0 && { unknowns: unreadable }),
    ...(unknown?.isEverything === true && { verification: 'unproved' }),
  };
}

function decodeTransactions(
  network: Network,
  { block, transactions, receipts, stateSync, unknown, encodings }: VerifiedBlock,
  traces: readonly TransactionTrace[] | undefined,
): { readonly decoded: readonly Transaction[]; readonly unreadable: readonly UnknownPart[] } {
  const { baseFeePerGas } = block;
  const number = Number(block.number);
  const decoded: Transaction[] = [];
  const unreadable: UnknownPart[] = [];
  let logIndex = 0;
  for (let index = 0; index < transactions.length; index++) {
    const tx = transactions[index];
    const receipt = receipts[index];
    if (tx === undefined || receipt === undefined) continue;
    const parts = { network, number, tx, receipt, index, logIndex, trace: traces?.[index], baseFeePerGas };
    try {
      decoded.push(
        unknown?.transactions.has(tx.hash) === true
          ? decodeUnknown(parts)
          : {
              ...decodeKnown(parts, encodings?.get(tx.hash)),
              ...(unknown?.isEverything === true && { verification: 'unproved' }),
            },
      );
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const { transaction, part } = decodeUnreadable(parts, tx.hash, error);
      decoded.push(transaction);
      unreadable.push(part);
    }
    logIndex += receipt.logs.length;
  }
  if (stateSync !== undefined)
    decoded.push({
      ...decodeStateSync(network, { receipt: stateSync, index: transactions.length, logIndex }),
      // No root covers it.
      verification: unknown?.isEverything === true ? 'unproved' : 'attested',
    });
  return { decoded, unreadable };
}

function decodeKnown(parts: TransactionParts, encoding: Uint8Array | undefined): Transaction {
  return typeOf(parts.tx) === BASE_TRANSACTION && encoding !== undefined
    ? decodeBaseTransaction(parts, encoding)
    : decodeTransaction(parts);
}

function decodeStateSync(
  network: Network,
  {
    receipt,
    index,
    logIndex,
  }: { readonly receipt: RawReceipt; readonly index: number; readonly logIndex: number },
): Transaction {
  const transfers = decodeTransfers({ network, receipt, logIndex }, undefined);
  return { hash: receipt.transactionHash, index, isFailed: false, transfers };
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
  const assetGid = network.native.gid;
  const changes: BalanceChange[] = [{ address: block.miner.toLowerCase(), assetGid, reason: 'reward' }];
  if (readTraits(network).withdrawalsAreNative) {
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
    const type = typeOf(tx);
    const minted =
      type === 0x7e ? tx.mint : type === 0x64 ? tx.value : type === 0x69 ? tx.depositValue : undefined;
    if (typeof minted !== 'string' || BigInt(minted) === 0n) continue;
    changes.push({ address: tx.from.toLowerCase(), assetGid, amountRaw: BigInt(minted), reason: 'mint' });
  }
  return [...changes, ...decodeAtomicChanges(network, block)];
}
