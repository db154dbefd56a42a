// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, IncompleteBlockError } from '@chainwatch/chain-core';
import { isEncoded, typeOf } from './encode-transaction.ts';
import {
  ACCESS_FIELDS,
  AUTHORIZATION_FIELDS,
  HEADER_FIELDS,
  LOG_FIELDS,
  RECEIPT_FIELDS,
  TRANSACTION_FIELDS,
  WITHDRAWAL_FIELDS,
} from './hex-forms.ts';
import type { HexFields, HexForm } from './hex-forms.ts';
import type { RawBlock, RawHeader, RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import type { Stack } from './types-of-stack.ts';

// Written by hand instead of zod, because these run over every transaction and log of every block. They only
// check the types that the decoder relies on, and bring values to one spelling; verifyBlock proves whether
// the values are right.

const TYPE_FIELD: HexFields<RawTransaction> = { read: [['type', 'quantity']], hashed: [] };

const REQUIRED_FIELDS = ['hash', 'parentHash', 'number', 'timestamp'] as const;

const SHAPES: Readonly<Record<HexForm, { readonly pattern: RegExp; readonly expected: string }>> = {
  quantity: { pattern: /^0x[0-9a-f]{1,64}$/, expected: 'a quantity' },
  data: { pattern: /^0x[0-9a-f]*$/, expected: 'whole bytes' },
  address: { pattern: /^0x[0-9a-f]{40}$/, expected: '20 bytes' },
  word: { pattern: /^0x[0-9a-f]{64}$/, expected: '32 bytes' },
  status: { pattern: /^0x0{0,63}[01]$/, expected: '0x0 or 0x1' },
};

/** @throws ChainClientError, IncompleteBlockError when `json` is not a block with whole transactions */
export function parseRawBlock(json: unknown, stack: Stack): RawBlock {
  const block = toRawHeader(json) as Partial<RawBlock>;
  if (typeof block.miner !== 'string') throw new ChainClientError('expected a block with miner, got none');
  if (!Array.isArray(block.transactions))
    throw new ChainClientError('expected a block with transactions, got none');
  block.transactions.forEach((tx: unknown, index) => expectTransaction(tx, index, stack));
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
function expectTransaction(json: unknown, index: number, stack: Stack): asserts json is RawTransaction {
  const tx = toPartial<RawTransaction>(json, 'transaction', index);
  normalizeHex(tx, TYPE_FIELD, `transaction ${index}`);
  if (!isEncoded(typeOf(tx), stack)) return expectUnknownTransaction(tx, index);
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
function expectReceipt(json: unknown, index: number): asserts json is RawReceipt {
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
  expectOutcome(receipt, index);
  receipt.logs.forEach(expectLog);
}

/**
 * A status, or before Byzantium a state root. Without both, the encoding is that of status 0: a failed transaction would be
 * proved, and read as one that did not fail.
 */
function expectOutcome({ status, root }: Partial<RawReceipt>, index: number): void {
  if (
    typeof status === 'string' ||
    (typeof root === 'string' && SHAPES.word.pattern.test(root.toLowerCase()))
  )
    return;
  throw new IncompleteBlockError(`receipt ${index}: expected a status or a state root, got neither`);
}

function expectLog(json: unknown, index: number): void {
  const log = toPartial<RawLog>(json, 'log', index);
  if (typeof log.address !== 'string' || typeof log.data !== 'string' || !Array.isArray(log.topics)) {
    throw new ChainClientError(`expected a whole log at ${index}, got one without its fields`);
  }
  normalizeHex(log, LOG_FIELDS, `log ${index}`);
  normalizeTopics(log.topics, `log ${index}`);
}

/** Drops the members of a transaction and its receipt that are malformed, and its logs where one of them is. */
export function keepReadable(tx: Partial<RawTransaction>, receipt: Partial<RawReceipt>): void {
  dropMalformed(tx, TRANSACTION_FIELDS);
  dropMalformed(receipt, RECEIPT_FIELDS);
  try {
    receipt.logs?.forEach(expectLog);
  } catch {
    Object.assign(receipt, { logs: [] });
  }
}

function toPartial<T extends object>(json: unknown, what: string, index: number): Partial<T> {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`expected a ${what} at ${index}, got ${typeof json}`);
  return json as Partial<T>;
}

/** @throws ChainClientError when `json` lacks what every header has, IncompleteBlockError when a field is malformed */
export function toRawHeader(json: unknown): RawHeader {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`expected a block, got ${typeof json}`);
  const header = json as Partial<RawHeader>;
  for (const field of REQUIRED_FIELDS) {
    const value = header[field];
    if (typeof value !== 'string')
      throw new ChainClientError(
        `expected a block with ${field}, got ${value === undefined ? 'none' : typeof value}`,
      );
  }
  normalizeHex(header, HEADER_FIELDS, 'the block');
  return json as RawHeader;
}

/**
 * Brings the fields of a node's answer to the spelling that all later code relies on: `0x` and lower-case
 * digits. Otherwise a value could be proved in one spelling and compared or read in another. Null and absent
 * fields stay.
 * @param what for the error: `transaction 3`
 * @throws IncompleteBlockError naming the first field that is read and malformed
 */
function normalizeHex<T extends object>(
  target: Partial<T>,
  { read, hashed }: HexFields<T>,
  what: string,
): void {
  const fields = target as Record<string, unknown>;
  for (const [field, form] of read) {
    const value = fields[field];
    if (value === undefined || value === null || isCanonical(value, form)) continue;
    fields[field] = toCanonical(value, form, `${field} of ${what}`);
  }
  for (const field of hashed) {
    const value = fields[field];
    if (typeof value === 'string' && /[A-Z]/.test(value)) fields[field] = value.toLowerCase();
  }
}

/** Removes malformed fields that would be read, instead of refusing the whole object. */
function dropMalformed<T extends object>(target: Partial<T>, { read }: HexFields<T>): void {
  const fields = target as Record<string, unknown>;
  for (const [field, form] of read) {
    const value = fields[field];
    const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
    if (lower !== undefined && isCanonical(lower, form)) fields[field] = lower;
    else delete fields[field];
  }
}

/** `normalizeHex` of the topics of a log. */
function normalizeTopics(topics: readonly unknown[], what: string): void {
  const items = topics as unknown[];
  for (let i = 0; i < items.length; i++) {
    if (!isCanonical(items[i], 'word')) items[i] = toCanonical(items[i], 'word', `topic ${i} of ${what}`);
  }
}

function isCanonical(value: unknown, form: HexForm): boolean {
  if (typeof value !== 'string' || !SHAPES[form].pattern.test(value)) return false;
  // Not by the pattern: pairs of digits take three times as long.
  return form !== 'data' || value.length % 2 === 0;
}

function toCanonical(value: unknown, form: HexForm, what: string): string {
  const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (lower !== undefined && isCanonical(lower, form)) return lower;
  const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value;
  throw new IncompleteBlockError(`${what}: expected ${SHAPES[form].expected} in hexadecimal, got ${got}`);
}
