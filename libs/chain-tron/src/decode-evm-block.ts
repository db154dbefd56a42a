// SPDX-License-Identifier: Apache-2.0
import {
  nativeOf,
  type Block,
  type BlockHeader,
  type Network,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { decodeTransferLogs, TouchedContracts } from '@chainwatch/contract-abi';
import { isKnownType, toHash } from './evm-block.ts';
import type { EvmBlock, EvmReceipt, EvmTransaction } from './evm-types.ts';
import { isDoubtful } from './read-kinds.ts';
import { toAddress } from './to-address.ts';
import { notationOf } from './token-gid.ts';

/** The interface's answers about a block. */
export interface EvmParts {
  readonly block: EvmBlock;
  readonly receipts: readonly EvmReceipt[];
  /** Hashes of the transactions that transfer TRX, where that is known. */
  readonly transfers?: ReadonlySet<string>;
  /** True when only the node's word stands for its id. */
  readonly isUnproved: boolean;
}

/**
 * Decodes a block of the Ethereum-compatible interface: transfers of TRX by value and TRC-20 by logs. It does
 * not show TRC-10, internal transactions, and fees (energy may be burned, staked or somebody else's), so
 * these are left out. No root of the header can be computed from what it shows: all of it is the node's word.
 */
export function decodeEvmBlock(
  network: Network,
  header: BlockHeader,
  { block, receipts, transfers, isUnproved }: EvmParts,
): Block {
  const touched = new TouchedContracts();
  let logIndex = 0;
  const transactions = block.transactions.map((tx, index): Transaction => {
    const receipt = receipts[index]!;
    touched.add(receipt.logs);
    const hasValue = transfers === undefined || !isDoubtful(tx) || transfers.has(tx.hash);
    const decoded = decodeTransaction({ network, tx, receipt, index, logIndex, hasValue });
    logIndex += receipt.logs.length;
    return { ...decoded, verification: isUnproved || !isKnownType(tx) ? 'unproved' : 'attested' };
  });
  return {
    ...header,
    transactions,
    balanceChanges: [],
    ...touched.list(notationOf(network)),
    verification: 'attested',
    leavesOut: 'all_but_logs',
  };
}

interface TransactionParts {
  readonly network: Network;
  readonly tx: EvmTransaction;
  readonly receipt: EvmReceipt;
  readonly index: number;
  /** Index in the block of the transaction's first log. */
  readonly logIndex: number;
  /** True when its value is TRX. */
  readonly hasValue: boolean;
}

function decodeTransaction({
  network,
  tx,
  receipt,
  index,
  logIndex,
  hasValue,
}: TransactionParts): Transaction {
  const isFailed = receipt.status === '0x0';
  const from = findAccount(tx.from);
  const createdContract = isFailed ? undefined : findAccount(receipt.contractAddress);
  const to = findAccount(tx.to);
  const transfers: Transfer[] = [];
  if (!isFailed) {
    const amountRaw = BigInt(tx.value ?? '0x0');
    const receiver = to ?? createdContract;
    // Transactions of kinds without a receiver show deposits and costs as their value.
    if (hasValue && amountRaw > 0n && receiver !== undefined)
      transfers.push({
        index: 0,
        type: 'native',
        assetGid: nativeOf(network).gid,
        from,
        to: receiver,
        amountRaw,
      });
    decodeTransferLogs(notationOf(network), { logs: receipt.logs, logIndex, transfers });
  }
  return { hash: toHash(tx.hash), index, isFailed, from, to, createdContract, transfers };
}

/** The interface shows no account as null or `0x`. */
function findAccount(address: string | null | undefined): string | undefined {
  return typeof address === 'string' && /^0x[0-9a-f]{40}$/.test(address)
    ? toAddress(address.slice(2))
    : undefined;
}
