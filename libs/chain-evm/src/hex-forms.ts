// SPDX-License-Identifier: Apache-2.0
import type {
  RawAccess,
  RawAuthorization,
  RawHeader,
  RawLog,
  RawReceipt,
  RawTransaction,
  RawWithdrawal,
} from './raw-block.ts';

/** `quantity`: a number of at most 32 bytes; `data`: whole bytes; the others: bytes of a fixed length. */
export type HexForm = 'quantity' | 'data' | 'address' | 'word' | 'status';

/** The fields of an object that hold hexadecimal digits. */
export interface HexFields<T> {
  readonly read: readonly (readonly [keyof T & string, HexForm])[];
  readonly hashed: readonly (keyof T & string)[];
}

// `read`: compared or decoded, so each must be well-formed. `hashed`: only enters an encoding, which refuses
// whatever is not hexadecimal; not checked in items whose encoding leaves it out.

export const HEADER_FIELDS: HexFields<RawHeader> = {
  read: [
    ['hash', 'word'],
    ['parentHash', 'word'],
    ['number', 'quantity'],
    ['timestamp', 'quantity'],
    ['miner', 'address'],
    ['transactionsRoot', 'word'],
    ['receiptsRoot', 'word'],
    ['withdrawalsRoot', 'word'],
    ['timestampMilliseconds', 'quantity'],
    ['settledHeight', 'quantity'],
    ['settledGasUnix', 'quantity'],
    ['settledGasNumerator', 'quantity'],
    ['settledExcess', 'quantity'],
  ],
  hashed: [
    'sha3Uncles',
    'stateRoot',
    'logsBloom',
    'difficulty',
    'gasLimit',
    'gasUsed',
    'extraData',
    'mixHash',
    'nonce',
    'baseFeePerGas',
    'blobGasUsed',
    'excessBlobGas',
    'parentBeaconBlockRoot',
    'requestsHash',
    'parentProposerPubkey',
    'blockAccessListHash',
    'slotNumber',
    'auraStep',
    'auraSeal',
    'extDataHash',
    'extDataGasUsed',
    'blockExtraData',
    'blockGasCost',
    'minDelayExcess',
    'targetExponent',
    'minPriceExponent',
  ],
};

export const WITHDRAWAL_FIELDS: HexFields<RawWithdrawal> = {
  read: [
    ['address', 'address'],
    ['amount', 'quantity'],
  ],
  hashed: ['index', 'validatorIndex'],
};

export const TRANSACTION_FIELDS: HexFields<RawTransaction> = {
  read: [
    ['hash', 'word'],
    ['type', 'quantity'],
    ['from', 'address'],
    ['to', 'address'],
    ['value', 'quantity'],
    ['gasPrice', 'quantity'],
    ['feeCurrency', 'address'],
  ],
  hashed: [
    'nonce',
    'gas',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'maxFeePerBlobGas',
    'input',
    'chainId',
    'v',
    'yParity',
    'r',
    's',
    'sourceHash',
    'mint',
    'queueIndex',
    'requestId',
    'ticketId',
    'refundTo',
    'maxRefund',
    'submissionFeeRefund',
    'l1BaseFee',
    'depositValue',
    'retryTo',
    'retryValue',
    'retryData',
    'beneficiary',
    'maxSubmissionFee',
  ],
};

export const ACCESS_FIELDS: HexFields<RawAccess> = { read: [], hashed: ['address'] };

export const AUTHORIZATION_FIELDS: HexFields<RawAuthorization> = {
  read: [],
  hashed: ['chainId', 'address', 'nonce', 'v', 'yParity', 'r', 's'],
};

export const RECEIPT_FIELDS: HexFields<RawReceipt> = {
  read: [
    ['transactionHash', 'word'],
    ['transactionIndex', 'quantity'],
    ['blockHash', 'word'],
    ['from', 'address'],
    ['status', 'status'],
    ['cumulativeGasUsed', 'quantity'],
    ['gasUsed', 'quantity'],
    ['effectiveGasPrice', 'quantity'],
    ['blobGasUsed', 'quantity'],
    ['blobGasPrice', 'quantity'],
    ['l1Fee', 'quantity'],
    ['operatorFeeScalar', 'quantity'],
    ['operatorFeeConstant', 'quantity'],
    ['daFootprintGasScalar', 'quantity'],
    ['payer', 'address'],
    ['baseFee', 'quantity'],
  ],
  hashed: ['root', 'logsBloom', 'contractAddress', 'depositNonce', 'depositReceiptVersion'],
};

export const LOG_FIELDS: HexFields<RawLog> = {
  read: [
    ['address', 'address'],
    ['data', 'data'],
  ],
  hashed: [],
};
