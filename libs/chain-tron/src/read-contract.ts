// SPDX-License-Identifier: Apache-2.0
import { decodeMemo, IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { bytesOf, int32Of, messageOf, readFields, type Fields } from './protobuf.ts';

/** The kinds of contracts that change a balance by more than their fee (java-tron, `Transaction.Contract.ContractType`). */
export const CONTRACT_TYPES = {
  transfer: 1,
  transferAsset: 2,
  assetIssue: 6,
  participateAssetIssue: 9,
  accountUpdate: 10,
  freezeBalance: 11,
  unfreezeBalance: 12,
  withdrawBalance: 13,
  unfreezeAsset: 14,
  setAccountId: 19,
  createSmartContract: 30,
  triggerSmartContract: 31,
  exchangeCreate: 41,
  exchangeInject: 42,
  exchangeWithdraw: 43,
  exchangeTransaction: 44,
  marketSellAsset: 52,
  marketCancelOrder: 53,
  freezeBalanceV2: 54,
  unfreezeBalanceV2: 55,
  withdrawExpireUnfreeze: 56,
  cancelAllUnfreezeV2: 59,
} as const;

/**
 * Every kind of java-tron 4.8 but 51. Any other kind may move anything. 51 (ShieldedTransferContract) moves a TRC-10 token
 * that is a setting of the nodes (`zenTokenId`) and in no transaction, so what it moved cannot be told.
 */
const KNOWN_TYPES: ReadonlySet<number> = new Set([
  0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 30, 31, 32, 33, 41, 42, 43, 44, 45,
  46, 48, 49, 52, 53, 54, 55, 56, 57, 58, 59,
]);

/** A transaction's only contract, from its proved bytes. */
export interface Contract {
  /** -1 where it or its parameter cannot be read. */
  readonly type: number;
  readonly parameter: Fields;
  /** The account that signs and pays, 21 bytes; empty for transfers from the shielded pool. */
  readonly owner: Buffer;
  /** What the sender wrote beside it. */
  readonly memo: string | undefined;
  /** The part of it that is not known here. */
  readonly unknown?: Omit<UnknownPart, 'transactionHash'>;
}

/** Fields whose message does not begin with its owner. */
const OWNER_FIELDS: Readonly<Record<number, number>> = {
  [CONTRACT_TYPES.transferAsset]: 2,
  [CONTRACT_TYPES.accountUpdate]: 2,
  [CONTRACT_TYPES.setAccountId]: 2,
};

/** Fields of the parameter that are messages which are read here: of a new contract, and the frozen parts of a supply. */
const NESTED_FIELDS: Readonly<Record<number, number>> = {
  [CONTRACT_TYPES.createSmartContract]: 2,
  [CONTRACT_TYPES.assetIssue]: 5,
};

/** What is told of a transaction in which nothing else can be read. */
const UNREADABLE = { type: -1, parameter: new Map(), owner: Buffer.alloc(0) } as const;

/**
 * Reads the contract of a transaction. What cannot be read is its `unknown`, and no error: the root proves the bytes, so
 * that no node made them up.
 */
export function readContract(rawData: Buffer): Contract {
  try {
    return readTransaction(rawData);
  } catch (error) {
    const unknown = {
      kind: 'transaction-form:unreadable',
      expected: 'the bytes of a transaction',
      got: messageOfUnreadable(error),
    };
    return { ...UNREADABLE, memo: undefined, unknown };
  }
}

/** @throws IncompleteBlockError when the bytes are not those of a transaction */
function readTransaction(rawData: Buffer): Contract {
  const raw = readFields(rawData);
  const memo = decodeMemo([bytesOf(raw, 10)]);
  const contracts = (raw.get(11) ?? []).filter((value) => typeof value === 'object');
  const fields = readFields(contracts[0] ?? Buffer.alloc(0));
  const type = contracts.length === 0 ? UNREADABLE.type : int32Of(fields, 1);
  // google.protobuf.Any: the type's URL, then the value.
  const value = bytesOf(readFields(messageOf(fields, 2)), 2);
  const unknown = findUnknown(type, contracts.length);
  try {
    const parameter = readParameter(type, value);
    return { type, parameter, owner: bytesOf(parameter, OWNER_FIELDS[type] ?? 1), memo, unknown };
  } catch (error) {
    const form = {
      kind: `contract-form:${type}`,
      expected: `the parameter of a contract of kind ${type}`,
      got: messageOfUnreadable(error),
    };
    return { ...UNREADABLE, memo, unknown: unknown ?? form };
  }
}

/** @throws IncompleteBlockError when it or a message in it that is read here is malformed */
function readParameter(type: number, value: Buffer): Fields {
  const parameter = readFields(value);
  for (const nested of parameter.get(NESTED_FIELDS[type] ?? 0) ?? [])
    if (typeof nested === 'object') readFields(nested);
  return parameter;
}

/** @throws the error itself, where it is another one than that of bytes which cannot be read */
function messageOfUnreadable(error: unknown): string {
  if (error instanceof IncompleteBlockError) return error.message;
  throw error;
}

function findUnknown(type: number, count: number): Contract['unknown'] {
  if (count > 0 && !KNOWN_TYPES.has(type))
    return {
      kind: `contract-type:${type}`,
      expected: 'a kind of contract up to 59 but 51',
      got: String(type),
    };
  // Java-tron only accepts transactions with one contract.
  return count === 1
    ? undefined
    : { kind: `transaction-contracts:${count}`, expected: 'one contract', got: String(count) };
}
