import { IncompleteBlockError } from '@chainwatch/chain-core';
import { encodeBytes, encodeInt } from './protobuf.ts';
import type { WalletTransaction } from './wallet-block.ts';

/** How the virtual machine ended (java-tron, `Transaction.Result.contractResult`). */
const contractResults = [
  'DEFAULT', 'SUCCESS', 'REVERT', 'BAD_JUMP_DESTINATION', 'OUT_OF_MEMORY', 'PRECOMPILED_CONTRACT', 'STACK_TOO_SMALL', 'STACK_TOO_LARGE', 'ILLEGAL_OPERATION',
  'STACK_OVERFLOW', 'OUT_OF_ENERGY', 'OUT_OF_TIME', 'JVM_STACK_OVER_FLOW', 'UNKNOWN', 'TRANSFER_FAILED', 'INVALID_CODE',
];
const codes = ['SUCESS', 'FAILED'];

type EncodeField = (value: string | number) => Uint8Array;
const int = (number: number): EncodeField => (value) => encodeInt(number, BigInt(value));

/** Fields of `Transaction.Result` by their name in JSON, in the order of their numbers. */
const resultFields: readonly (readonly [name: string, encode: EncodeField])[] = [
  ['fee', int(1)],
  ['ret', (value) => encodeInt(2, BigInt(indexOf(codes, value)))],
  ['contractRet', (value) => encodeInt(3, BigInt(indexOf(contractResults, value)))],
  ['assetIssueID', (value) => encodeBytes(14, Buffer.from(String(value), 'utf8'))],
  ['withdraw_amount', int(15)],
  ['unfreeze_amount', int(16)],
  ['exchange_received_amount', int(18)],
  ['exchange_inject_another_amount', int(19)],
  ['exchange_withdraw_another_amount', int(20)],
  ['exchange_id', int(21)],
  ['shielded_transaction_fee', int(22)],
  ['orderId', (value) => encodeBytes(25, Buffer.from(String(value), 'hex'))],
  ['withdraw_expire_amount', int(27)],
];

/**
 * A transaction as it stands in its block: what its leaf in the tree of transactions is taken over. `rawData` are the
 * bytes of `raw_data_hex`.
 * @throws IncompleteBlockError when the node shows a result in a way that is not known here
 */
export function encodeTransaction(rawData: Uint8Array, { signature, ret }: WalletTransaction): Buffer {
  const signatures = (signature ?? []).map((hex) => encodeBytes(2, Buffer.from(hex, 'hex')));
  const results = (ret ?? []).map((result) => encodeBytes(5, encodeResult(result)));
  return Buffer.concat([encodeBytes(1, rawData), ...signatures, ...results]);
}

function encodeResult(result: Readonly<Record<string, string | number>>): Buffer {
  const names = new Set(Object.keys(result));
  const parts = resultFields.flatMap(([name, encode]) => (names.delete(name) ? [encode(result[name]!)] : []));
  if (names.size > 0) throw new IncompleteBlockError(`result of a transaction: expected known fields, got ${[...names].join(', ').slice(0, 100)}`);
  return Buffer.concat(parts);
}

function indexOf(names: readonly string[], value: string | number): number {
  const index = names.indexOf(String(value));
  if (index < 0) throw new IncompleteBlockError(`result of a transaction: expected one of ${names.join(', ')}, got ${String(value).slice(0, 40)}`);
  return index;
}
