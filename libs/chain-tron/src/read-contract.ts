import { IncompleteBlockError } from '@chainwatch/chain-core';
import { bytesOf, intOf, readFields, type Fields } from './protobuf.ts';

/** The kinds of contracts that move something between accounts (java-tron, `Transaction.Contract.ContractType`). */
export const contractTypes = {
  transfer: 1,
  transferAsset: 2,
  assetIssue: 6,
  participateAssetIssue: 9,
  accountUpdate: 10,
  setAccountId: 19,
  createSmartContract: 30,
  triggerSmartContract: 31,
  shieldedTransfer: 51,
} as const;

/** A transaction's only contract, from its proved bytes. */
export interface Contract {
  readonly type: number;
  readonly parameter: Fields;
  /** Who signs and pays, 21 bytes; empty for shielded transfers from the shielded pool. */
  readonly owner: Buffer;
}

/** Fields whose message does not begin with its owner. */
const ownerFields: Readonly<Record<number, number>> = { [contractTypes.transferAsset]: 2, [contractTypes.accountUpdate]: 2, [contractTypes.setAccountId]: 2 };

/** @throws IncompleteBlockError when the bytes are not those of a transaction */
export function readContract(rawData: Buffer): Contract {
  const contract = readFields(rawData).get(11)?.[0];
  if (typeof contract !== 'object') throw new IncompleteBlockError('transaction: expected a contract, got none');
  const fields = readFields(contract);
  const type = Number(intOf(fields, 1));
  // google.protobuf.Any: the type's URL, then the value.
  const parameter = readFields(bytesOf(readFields(bytesOf(fields, 2)), 2));
  return { type, parameter, owner: bytesOf(parameter, ownerFields[type] ?? 1) };
}
