import { decodeMemo, IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { bytesOf, intOf, messageOf, readFields, type Fields } from './protobuf.ts';

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

/** @throws IncompleteBlockError when the bytes are not those of a transaction */
export function readContract(rawData: Buffer): Contract {
  const raw = readFields(rawData);
  const contracts = (raw.get(11) ?? []).filter((value) => typeof value === 'object');
  const contract = contracts[0];
  if (contract === undefined) throw new IncompleteBlockError('transaction: expected a contract, got none');
  const fields = readFields(contract);
  const type = Number(intOf(fields, 1));
  const unknown = findUnknown(type, contracts.length);
  // google.protobuf.Any: the type's URL, then the value.
  const value = bytesOf(readFields(messageOf(fields, 2)), 2);
  const parameter = unknown === undefined ? readFields(value) : tryReadFields(value);
  return {
    type,
    parameter,
    owner: bytesOf(parameter, OWNER_FIELDS[type] ?? 1),
    memo: decodeMemo([bytesOf(raw, 10)]),
    unknown,
  };
}

function findUnknown(type: number, count: number): Contract['unknown'] {
  if (!KNOWN_TYPES.has(type))
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

/** The parameter of an unknown kind need not be a message. */
function tryReadFields(bytes: Buffer): Fields {
  try {
    return readFields(bytes);
  } catch (error) {
    if (!(error instanceof IncompleteBlockError)) throw error;
    return new Map();
  }
}
