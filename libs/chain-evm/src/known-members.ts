// SPDX-License-Identifier: Apache-2.0
// cspell:ignore milli
import { HEADER_FIELDS, RECEIPT_FIELDS, TRANSACTION_FIELDS } from './hex-forms.ts';
import type { HexFields } from './hex-forms.ts';

// Members that nodes give today: those that are hashed, and those that only inform. They are consulted where
// a hash or a root does not match: with a member that is not listed here, the encoding may be one that is not
// known yet; without one, the answer is wrong.

export const headerMembers = new Set([
  ...namesOf(HEADER_FIELDS),
  'transactions',
  'uncles',
  'withdrawals',
  'size',
  'totalDifficulty',
  'author',
  'sealFields',
  'signature',
  'step',
  'l1BlockNumber',
  'sendCount',
  'sendRoot',
  'milliTimestamp',
  'timestampMs',
  'blockTimestamp',
  'blockTimestampMs',
  'requests',
  'blockAccessList',
  'transactionsCount',
  'isForkBlock',
]);

export const transactionMembers = new Set([
  ...namesOf(TRANSACTION_FIELDS),
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'blockTimestampMs',
  'transactionIndex',
  'accessList',
  'authorizationList',
  'blobVersionedHashes',
  'isSystemTx',
  'creates',
  'raw',
  'rawTransaction',
  'publicKey',
  'standardV',
  'condition',
  'networkId',
  'data',
  'effectiveGasPrice',
  'depositReceiptVersion',
  'depositNonce',
  'queueOrigin',
  'sender',
  'txType',
  'l1TxOrigin',
  'l1BlockNumber',
  'l1Timestamp',
  'index',
  'l1SequenceNumber',
  'parentRequestId',
  'indexInParent',
  'arbType',
  'arbSubType',
  'retryable',
  'effectiveRetryGas',
]);

export const receiptMembers = new Set([
  ...namesOf(RECEIPT_FIELDS),
  'to',
  'type',
  'logs',
  'blockNumber',
  'blockTimestamp',
  'blockTimestampMs',
  'l1GasPrice',
  'l1GasUsed',
  'l1FeeScalar',
  'l1BaseFeeScalar',
  'l1BlobBaseFee',
  'l1BlobBaseFeeScalar',
  'l1BlockNumber',
  'gasUsedForL1',
  'blobGasUsedForL1',
  'timeboosted',
  'multiGasUsed',
  'opGasRefund',
  'phaseStatuses',
  'returnCode',
  'returnData',
  'feeStats',
  'l1InboxBatchInfo',
  'error',
  'revertReason',
]);

export const LOG_MEMBERS = new Set([
  'address',
  'topics',
  'data',
  'logIndex',
  'transactionHash',
  'transactionIndex',
  'transactionLogIndex',
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'blockTimestampMs',
  'removed',
  'type',
  'id',
  'logType',
]);

function namesOf<T>({ read, hashed }: HexFields<T>): string[] {
  return [...read.map(([name]) => name as string), ...hashed];
}
