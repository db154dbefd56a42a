// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { CONTRACT_RESULTS, findEnumNumber, RESULT_CODES } from './contract-results.ts';
import { encodeUnknownFields, isUnnamed } from './encode-unknown-fields.ts';
import { parseHex } from './parse-hex.ts';
import { encodeBytes, encodeInt, encodeWholeInt } from './protobuf.ts';
import type { WalletTransaction } from './wallet-block.ts';

type EncodeField = (value: unknown) => Uint8Array;
const int =
  (number: number): EncodeField =>
  (value) =>
    encodeInt(number, toInt(value));
const hex =
  (number: number): EncodeField =>
  (value) =>
    encodeBytes(number, parseHex('result of a transaction', value));
const text =
  (number: number): EncodeField =>
  (value) =>
    encodeBytes(number, Buffer.from(String(value), 'utf8'));
const messages =
  (number: number, encode: (message: Record<string, unknown>) => Uint8Array): EncodeField =>
  (values) =>
    Buffer.concat((values as Record<string, unknown>[]).map((value) => encodeBytes(number, encode(value))));
/** In the order of their numbers, without those that the message does not have; behind them those without a name. */
const inOrder =
  (fields: readonly (readonly [name: string, encode: EncodeField])[]) =>
  (message: Record<string, unknown>): Buffer =>
    Buffer.concat([
      ...fields.flatMap(([name, encode]) => (message[name] === undefined ? [] : [encode(message[name])])),
      encodeUnknownFields(message),
    ]);

/** Fields of `Transaction.Result` by their name in JSON, in the order of their numbers; the two that are enumerations stand apart. */
const resultFields = [
  ['assetIssueID', text(14)],
  ['withdraw_amount', int(15)],
  ['unfreeze_amount', int(16)],
  ['exchange_received_amount', int(18)],
  ['exchange_inject_another_amount', int(19)],
  ['exchange_withdraw_another_amount', int(20)],
  ['exchange_id', int(21)],
  ['shielded_transaction_fee', int(22)],
  ['orderId', hex(25)],
  [
    'orderDetails',
    messages(
      26,
      inOrder([
        ['makerOrderId', hex(1)],
        ['takerOrderId', hex(2)],
        ['fillSellQuantity', int(3)],
        ['fillBuyQuantity', int(4)],
      ]),
    ),
  ],
  ['withdraw_expire_amount', int(27)],
  // Entries of a map are written whole.
  [
    'cancel_unfreezeV2_amount',
    messages(28, ({ key = '', value = 0 }) =>
      Buffer.concat([encodeBytes(1, Buffer.from(String(key), 'utf8')), encodeWholeInt(2, toInt(value))]),
    ),
  ],
] as const satisfies readonly (readonly [string, EncodeField])[];

const encodeResultFields = inOrder(resultFields);
/**
 * Members with texts, which java-tron's JSON ends before U+FFFF (`JsonFormat.escapeText`). The sender writes them, so where the
 * root does not come out they are as good as unknown.
 */
const TEXT_NAMES: readonly string[] = ['assetIssueID', 'cancel_unfreezeV2_amount'];
const RESULT_NAMES = new Set<string>([
  'fee',
  'ret',
  'contractRet',
  ...resultFields.map(([name]) => name).filter((name) => !TEXT_NAMES.includes(name)),
]);
/** Members of a transaction in the wallet API: its fields, and what the API derives from them. */
const TRANSACTION_NAMES = new Set([
  'raw_data',
  'signature',
  'ret',
  'raw_data_hex',
  'txID',
  'visible',
  'contract_address',
]);

/**
 * The bytes of a transaction in its block, over which its leaf in the tree of transactions is computed.
 * `rawData` are the bytes of `raw_data_hex`. Fields that java-tron does not name are encoded too. Members
 * with a name that is unknown here are left out, so the root tells whether they belong to the transaction
 * (`findUnknownMembers`).
 * @throws IncompleteBlockError
 */
export function encodeTransaction(rawData: Uint8Array, tx: WalletTransaction): Buffer {
  const signatures = (tx.signature ?? []).map((one) => encodeBytes(2, parseHex('signature', one)));
  const results = (tx.ret ?? []).map((result) => encodeBytes(5, encodeResult(result)));
  return Buffer.concat([encodeBytes(1, rawData), ...signatures, ...results, encodeUnknownFields(tx)]);
}

/** Unknown parts of a transaction, which are therefore not in its encoding. */
export function findUnknownMembers(tx: WalletTransaction): UnknownPart[] {
  const name = (member: string, value: unknown): UnknownPart => ({
    kind: `transaction-field:${member}`,
    transactionHash: tx.txID,
    expected: 'the fields of a transaction and its result',
    got: `${member}: ${String(JSON.stringify(value)).slice(0, 100)}`,
  });
  const list = (message: object, known: ReadonlySet<string>): UnknownPart[] =>
    Object.entries(message).flatMap(([member, value]) =>
      known.has(member) || isUnnamed(member) ? [] : [name(member, value)],
    );
  return [...list(tx, TRANSACTION_NAMES), ...(tx.ret ?? []).flatMap((result) => list(result, RESULT_NAMES))];
}

function encodeResult(result: Readonly<Record<string, unknown>>): Buffer {
  const { fee = 0, ret = RESULT_CODES[0], contractRet = CONTRACT_RESULTS[0] } = result;
  const known = [
    encodeInt(1, toInt(fee)),
    encodeEnum(2, RESULT_CODES, ret),
    encodeEnum(3, CONTRACT_RESULTS, contractRet),
  ];
  return Buffer.concat([...known, encodeResultFields(result)]);
}

/** A value whose number is not known is left out; the root does not match then. */
function encodeEnum(number: number, names: readonly string[], value: unknown): Buffer {
  return encodeInt(number, BigInt(findEnumNumber(names, value) ?? 0));
}

function toInt(value: unknown): bigint {
  if (
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value))
  )
    return BigInt(value);
  throw new IncompleteBlockError(
    `result of a transaction: expected an integer, got ${String(value).slice(0, 40)}`,
  );
}
