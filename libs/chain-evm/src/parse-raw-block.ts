import { ChainClientError, IncompleteBlockError } from '@chainwatch/chain-core';
import { dropMalformed, normalizeHex, normalizeTopics } from './canonical-hex.ts';
import type { HexFields } from './canonical-hex.ts';
import { isEncoded, typeOf } from './encode-transaction.ts';
import {
  ACCESS_FIELDS,
  AUTHORIZATION_FIELDS,
  LOG_FIELDS,
  RECEIPT_FIELDS,
  TRANSACTION_FIELDS,
  WITHDRAWAL_FIELDS,
} from './hex-forms.ts';
import { toRawHeader } from './parse-header.ts';
import type { RawBlock, RawLog, RawReceipt, RawTransaction } from './raw-block.ts';

// Written by hand instead of zod, because these run over every transaction and log of every block. They only
// check the types that the decoder relies on, and bring values to one spelling; verifyBlock proves whether
// the values are right.

const TYPE_FIELD: HexFields<RawTransaction> = { read: [['type', 'quantity']], hashed: [] };

/** @throws ChainClientError, IncompleteBlockError when `json` is not a block with whole transactions */
export function parseRawBlock(json: unknown): RawBlock {
  const block = toRawHeader(json) as Partial<RawBlock>;
  if (typeof block.miner !== 'string') throw new ChainClientError('expected a block with miner, got none');
  if (!Array.isArray(block.transactions))
    throw new ChainClientError('expected a block with transactions, got none');
  block.transactions.forEach(expectTransaction);
  block.withdrawals?.forEach((withdrawal, index) =>
    normalizeHex(withdrawal, WITHDRAWAL_FIELDS, `withdrawal ${index}`),
  );
  return block as RawBlock;
}

/** @throws ChainClientError, IncompleteBlockError when `json` is not a list of receipts */
export function parseRawReceipts(json: unknown): readonly RawReceipt[] {
  if (!Array.isArray(json))
    throw new ChainClientError(`expected a list of receipts, got ${json === null ? 'null' : typeof json}`);
  json.forEach(expectReceipt);
  return json as RawReceipt[];
}

/** @throws ChainClientError, IncompleteBlockError when `json` is not a whole transaction, unless its type is not known */
export function expectTransaction(json: unknown, index: number): asserts json is RawTransaction {
  const tx = toPartial<RawTransaction>(json, 'transaction', index);
  normalizeHex(tx, TYPE_FIELD, `transaction ${index}`);
  if (!isEncoded(typeOf(tx))) return expectUnknownTransaction(tx, index);
  if (
    typeof tx.hash !== 'string' ||
    typeof tx.from !== 'string' ||
    typeof tx.value !== 'string' ||
    typeof tx.input !== 'string' ||
    typeof tx.gas !== 'string'
  ) {
    throw new ChainClientError(`expected a whole transaction at ${index}, got one without its fields`);
  }
  normalizeTransaction(tx, `transaction ${index}`);
}

/** Keeps only those members that have the same form as in every other type. */
function expectUnknownTransaction(tx: Partial<RawTransaction>, index: number): void {
  // A type is one byte below 0x80; from there on the encoding would look like that of a legacy transaction (EIP-2718).
  if (typeOf(tx) > 0x7f)
    throw new IncompleteBlockError(`type of transaction ${index}: expected at most 0x7f, got ${tx.type}`);
  if (typeof tx.hash !== 'string')
    throw new ChainClientError(`expected a transaction with hash at ${index}, got none`);
  normalizeHex(tx, { read: [['hash', 'word']], hashed: [] }, `transaction ${index}`);
  dropMalformed(tx, TRANSACTION_FIELDS);
}

function normalizeTransaction(tx: Partial<RawTransaction>, what: string): void {
  normalizeHex(tx, TRANSACTION_FIELDS, what);
  for (const access of tx.accessList ?? []) normalizeHex(access, ACCESS_FIELDS, `an access of ${what}`);
  for (const authorization of tx.authorizationList ?? [])
    normalizeHex(authorization, AUTHORIZATION_FIELDS, `an authorization of ${what}`);
}

/** @throws ChainClientError, IncompleteBlockError when `json` is not a whole receipt */
export function expectReceipt(json: unknown, index: number): asserts json is RawReceipt {
  const receipt = toPartial<RawReceipt>(json, 'receipt', index);
  if (
    typeof receipt.transactionHash !== 'string' ||
    typeof receipt.cumulativeGasUsed !== 'string' ||
    typeof receipt.gasUsed !== 'string' ||
    !Array.isArray(receipt.logs)
  ) {
    throw new ChainClientError(`expected a whole receipt at ${index}, got one without its fields`);
  }
  normalizeHex(receipt, RECEIPT_FIELDS, `receipt ${index}`);
  receipt.logs.forEach(expectLog);
}

function expectLog(json: unknown, index: number): void {
  const log = toPartial<RawLog>(json, 'log', index);
  if (typeof log.address !== 'string' || typeof log.data !== 'string' || !Array.isArray(log.topics)) {
    throw new ChainClientError(`expected a whole log at ${index}, got one without its fields`);
  }
  normalizeHex(log, LOG_FIELDS, `log ${index}`);
  normalizeTopics(log.topics, `log ${index}`);
}

function toPartial<T extends object>(json: unknown, what: string, index: number): Partial<T> {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`expected a ${what} at ${index}, got ${typeof json}`);
  return json as Partial<T>;
}
